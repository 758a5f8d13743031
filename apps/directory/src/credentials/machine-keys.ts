import type { JsonWebKey } from 'node:crypto'
import { ApiError } from '@signet/http-server/api-error'
import type { SigningAlgorithm } from '@signet/oauth-protocol/signing-algorithms'
import { requireServiceUser } from '../accounts/require-account.ts'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Page, PageRequest } from '../management/page.ts'
import type { KeyFile, RegisteredKey } from './credential.ts'
import { generateKey } from './generate-key.ts'
import { requireFuture } from './require-future.ts'

interface Owner {
  readonly userId: string
}

export function listMachineKeys(
  _call: ManagementCall,
  { userId, ...request }: Owner & PageRequest,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<RegisteredKey>> {
  return stores.machineKeys.list(userId, request)
}

interface NewKey {
  readonly expiresAt?: Date | undefined
  /** Absent: a pair is generated. */
  readonly publicKey?: JsonWebKey | undefined
  readonly algorithm: SigningAlgorithm
}

/** Registers a public key of a service user, or generates a pair and answers the private half, once. */
export async function createMachineKey(
  call: ManagementCall,
  { userId, expiresAt, publicKey, algorithm }: Owner & NewKey,
  { now }: Pick<ManagementServices, 'now'>,
): Promise<RegisteredKey & { readonly keyFile?: KeyFile }> {
  const createdAt = now()
  requireFuture(expiresAt, createdAt)
  // Before the transaction: an RSA key takes a tenth of a second.
  const pair = publicKey === undefined ? await generateKey(algorithm) : undefined
  return call.change(async ({ accounts, machineKeys }) => {
    await requireServiceUser(accounts, userId, 'key')
    const id = call.targetId
    const jwk = pair?.publicKeyJwk ?? publicKey ?? {}
    const made = { id, publicKeyJwk: jwk, createdAt, expiresAt: expiresAt ?? null }
    await machineKeys.add(userId, made)
    if (pair === undefined) return { result: made }
    const keyFile: KeyFile = {
      type: 'serviceaccount',
      keyId: id,
      key: pair.privateKeyPem,
      userId,
      ...(expiresAt !== undefined && { expirationDate: expiresAt.toISOString() }),
    }
    return { result: { ...made, keyFile } }
  })
}

/** Assertions that name the key are refused everywhere within a second; tokens that were bought with it live on. */
export function deleteMachineKey(
  call: ManagementCall,
  { userId, keyId }: Owner & { readonly keyId: string },
): Promise<void> {
  return call.change(async ({ machineKeys }) => {
    if (await machineKeys.delete(userId, keyId)) return { result: undefined }
    throw new ApiError('NOT_FOUND', 'the user has no key with this id', { reason: 'key_unknown' })
  })
}
