import { randomBytes } from 'node:crypto'
import { createSelfSigned } from '@signet/testing/client-certificates'
import { createFakeClock } from '@signet/testing/fake-clock'
import { expect, it } from 'vitest'
import type { Change, ManagementCall } from '../api/management-call.ts'
import type { ProviderStores } from './change-provider.ts'
import type { StoredProvider } from './identity-provider.ts'
import { createIdentityProvider, updateIdentityProvider } from './identity-providers.service.ts'
import { newProviderSettings } from './new-provider.ts'
import { addOwnKey } from './own-keys.service.ts'
import { NO_OWN_KEYS } from './own-keys.ts'

const { now } = createFakeClock()

/** A provider in memory, and the order of transactions and random bytes of the calls on it. */
async function storedProvider() {
  const { cert } = await createSelfSigned()
  const members = {
    ...{ name: 'SAML', clientId: 'signet', issuer: 'urn:idp', ssoUrl: 'https://idp.example/sso' },
    certificates: [cert],
  }
  let stored: StoredProvider = {
    ...newProviderSettings('saml', null, members),
    ...{ id: 'saml', organizationId: 'acme', type: 'saml', preset: null, sealedSecret: null, ...NO_OWN_KEYS },
    ...{ state: 'active', createdAt: now(), changedAt: now() },
  }
  const order: string[] = []
  const identityProviders = {
    find: async () => stored,
    async add(provider: StoredProvider) {
      stored = provider
    },
    async update(_id: string, provider: StoredProvider) {
      stored = { ...stored, ...provider }
    },
    lockAndCount: async () => 0,
    unknownRoles: async () => [],
    rolesOfLinked: async () => [],
  }
  const stores = { identityProviders, domains: {} } as unknown as ProviderStores
  const call = {
    targetId: 'saml',
    caller: { userId: 'owner', roles: [] },
    async change<R>(work: (stores: ProviderStores) => Promise<Change<R>>) {
      order.push('transaction')
      return (await work(stores)).result
    },
  } as unknown as ManagementCall<ProviderStores>
  const random = (bytes: number) => {
    order.push(`${bytes} bytes`)
    return randomBytes(bytes)
  }
  const getMetadata = async () => ({ status: 404, text: '' })
  const services = { stores, now, random, masterKeys: [randomBytes(32)], getMetadata }
  return { call, services, members, order, own: () => stored.ownCertificates }
}

it.each<[string, (on: Awaited<ReturnType<typeof storedProvider>>) => Promise<unknown>]>([
  [
    'creates a provider',
    ({ call, services, members }) =>
      createIdentityProvider(
        call,
        { organizationId: 'acme', type: 'saml', signAuthnRequests: true, ...members },
        services,
      ),
  ],
  [
    'changes one',
    ({ call, services }) =>
      updateIdentityProvider(call, { providerId: 'saml', assertionEncryption: 'optional' }, services),
  ],
  ['adds a key', ({ call, services }) => addOwnKey(call, { providerId: 'saml' }, services)],
])('makes the key before the transaction where a call %s', async (_, act) => {
  const on = await storedProvider()
  await act(on)
  // The serial number of the certificate.
  expect(on.order.slice(0, 2)).toEqual(['16 bytes', 'transaction'])
  expect(on.own()).toHaveLength(1)
})

it('makes no key for a change that needs none', async () => {
  const on = await storedProvider()
  await updateIdentityProvider(on.call, { providerId: 'saml', signAuthnRequests: false }, on.services)
  expect([on.order, on.own()]).toEqual([['transaction'], []])
})
