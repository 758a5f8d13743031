import { randomBytes } from 'node:crypto'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { rpcClient } from '@signet/grpc/client'
import { IdentityProviderService } from '@signet/grpc/gen/directory/v1/identity_provider_service_pb'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import { UpstreamAccountService } from '@signet/grpc/gen/directory/v1/upstream_account_service_pb'
import { sealValue } from '@signet/platform/sealing/sealed-value'
import { IdentityLinkStore } from '../src/identity-providers/identity-link.repository.ts'
import { IdentityProviderStore } from '../src/identity-providers/identity-provider.repository.ts'
import { PROVIDER_DEFAULTS } from '../src/identity-providers/identity-provider.schema.ts'
import type { StoredProvider } from '../src/identity-providers/identity-provider.ts'
import { NO_OWN_KEYS } from '../src/identity-providers/own-keys.ts'
import { identityProviderPurpose } from '../src/sealing/purposes.ts'
import { acme, PASSWORD, sampleDocument } from './directory-fixture.ts'
import { rpcFixture, TIMEOUT } from './rpc-fixture.ts'

export const ISSUER = 'https://idp.example'
const PROFILE = { givenName: 'A', familyName: 'B' }

/** The directory on two replicas with people of two organizations, as login and federation call it. */
export async function upstreamFixture() {
  const fixture = await rpcFixture({ replicas: 2 })
  const { directory } = fixture
  const document = sampleDocument()
  const organization = acme(document)
  organization.domains = ['acme.example']
  organization.users?.push(
    { id: 'bob', userName: 'bob', profile: PROFILE, password: PASSWORD },
    { id: 'linked', userName: 'linked', profile: PROFILE },
    {
      id: 'victim',
      userName: 'victim',
      profile: PROFILE,
      password: PASSWORD,
      email: { address: 'victim@mail.example', verified: true },
    },
  )
  document.organizations.push({
    id: 'other',
    name: 'Other',
    primaryDomain: 'other.localhost',
    users: [{ id: 'foreign', userName: 'foreign', profile: PROFILE, password: PASSWORD }],
  })
  await directory.apply(document)
  const providers = new IdentityProviderStore(directory.owner)
  const links = new IdentityLinkStore(directory.owner)
  const clients = fixture.replicas.map(({ network }) =>
    rpcClient(UpstreamAccountService, network.transport('login', 'directory')),
  )
  const [upstream] = clients
  if (upstream === undefined) throw new Error('a replica is needed')

  const provider = (id: string, settings: Partial<StoredProvider> = {}): StoredProvider => ({
    ...{ id, organizationId: 'acme', type: 'oidc', preset: null, name: `Provider ${id}`, issuer: ISSUER },
    ...{ clientId: 'signet', scopes: ['openid'], ...PROVIDER_DEFAULTS, state: 'active' },
    ...NO_OWN_KEYS,
    sealedSecret: sealValue(
      directory.masterKeys,
      Buffer.from('a-secret'),
      identityProviderPurpose(id),
      randomBytes,
    ),
    clientPublicJwk: null,
    createdAt: directory.clock.now(),
    changedAt: directory.clock.now(),
    ...settings,
  })
  const assertion = (subject: string, more: Assertion = {}) => {
    const { profile, ...others } = more
    return { providerId: 'corporate', issuer: ISSUER, subject, ...others, profile: { ...profile } }
  }
  return {
    ...fixture,
    providers,
    links,
    upstream,
    clients,
    assertion,
    owned: rpcClient(OwnAccountService, fixture.network.transport('login', 'directory')),
    federation: rpcClient(IdentityProviderService, fixture.network.transport('federation', 'directory')),
    /** Puts a provider in the place of the one with this id, and keeps its links. */
    async setProvider(id = 'corporate', settings: Partial<StoredProvider> = {}) {
      const wanted = provider(id, settings)
      if ((await providers.find(id)) === undefined) await providers.add(wanted)
      await providers.update(id, wanted, directory.clock.now())
      await providers.setState(id, wanted.state, directory.clock.now())
    },
    async setPolicy(policy: object | undefined, organizationId = 'acme') {
      await directory.rows("DELETE FROM directory.organization_policy WHERE kind = 'login'")
      if (policy === undefined) return
      await directory.rows('INSERT INTO directory.organization_policy VALUES ($1, $2, $3)', [
        organizationId,
        'login',
        JSON.stringify(policy),
      ])
    },
    async addLink(userId: string, subject: string, providerId = 'corporate') {
      const id = `${userId}-${providerId}`
      const times = { createdAt: directory.clock.now(), lastUsedAt: null }
      await links.add({ id, userId, providerId, issuer: ISSUER, subject, displayName: null, ...times })
      return id
    },
    async resolve(subject: string, more: Assertion & { create?: boolean; organizationId?: string } = {}) {
      const { create, organizationId, ...of } = more
      const request = {
        assertion: { ...assertion(subject, of), authenticatedAt: timestampFromDate(directory.clock.now()) },
        ...{ clientAddress: '192.0.2.7', clientId: 'web', requestId: 'r1' },
        ...(create && { create }),
        ...(organizationId && { organizationId }),
      }
      return upstream.resolveUpstream(request, TIMEOUT)
    },
  }
}

interface Assertion {
  readonly providerId?: string
  readonly issuer?: string
  readonly amr?: string[]
  readonly groups?: string[]
  readonly claimedGivenName?: string
  readonly claimedFamilyName?: string
  readonly profile?: {
    readonly userName?: string
    readonly givenName?: string
    readonly familyName?: string
    readonly displayName?: string
    readonly preferredLanguage?: string
    readonly email?: string
    readonly emailVerified?: boolean
    readonly phone?: string
    readonly phoneVerified?: boolean
  }
}

export type UpstreamFixture = Awaited<ReturnType<typeof upstreamFixture>>
