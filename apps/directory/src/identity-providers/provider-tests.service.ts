import { ApiError } from '@signet/admin-api/api-error'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import type { IdentityProviderStore } from './identity-provider.repository.ts'
import type { ProviderTestStore } from './provider-test.repository.ts'
import { hashOfSecret, type ProviderTestResult, TEST_MS, TEST_PATH } from './provider-tests.ts'
import { requireProvider } from './require-provider.ts'

interface Stores {
  readonly identityProviders: IdentityProviderStore
  readonly providerTests: ProviderTestStore
}

interface Target {
  readonly providerId: string
}

const TOKEN_BYTES = 32

/** Makes the link of a test, in place of the last one of the caller. Rejects with ApiError NOT_FOUND for an unknown provider. */
export function testIdentityProvider(
  call: ManagementCall<Stores>,
  { providerId }: Target,
  { issuer, newId, now, random }: Pick<Tools, 'issuer' | 'newId' | 'now' | 'random'>,
) {
  return call.change(async ({ identityProviders, providerTests }) => {
    await requireProvider(identityProviders, providerId)
    const id = newId()
    const token = random(TOKEN_BYTES).toString('base64url')
    const expiresAt = new Date(now().getTime() + TEST_MS)
    const { userId } = call.caller
    await providerTests.add({ id, providerId, userId, tokenHash: hashOfSecret(token), expiresAt })
    return { result: { id, url: `${issuer}${TEST_PATH}?token=${token}`, expiresAt } }
  })
}

/** Answers the result of a test of the caller, once. */
export async function takeTestResult(
  call: ManagementCall<Stores>,
  { providerId, testId }: Target & { readonly testId: string },
  { stores, now }: { readonly stores: Stores } & Pick<Tools, 'now'>,
): Promise<{ readonly state: 'waiting' } | ({ readonly state: 'done' } & ProviderTestResult)> {
  const { userId } = call.caller
  const owned = { id: testId, providerId, userId }
  const state = await stores.providerTests.stateOf(owned, now())
  if (state === 'waiting') return { state }
  return call.change(async ({ providerTests }) => {
    const result = await providerTests.take(owned, now())
    if (result === undefined)
      throw new ApiError('NOT_FOUND', 'there is no such test of the caller', {
        reason: 'provider_test_unknown',
      })
    return { result: { state: 'done', ...(result as ProviderTestResult) } }
  })
}
