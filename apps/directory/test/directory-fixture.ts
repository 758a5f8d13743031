import { randomBytes } from 'node:crypto'
import { BlockList } from 'node:net'
import { passkeyParty } from '@signet/platform/config/passkey-settings'
import { Secret } from '@signet/platform/config/settings-fields'
import { silentLogger } from '@signet/platform/logger/logger'
import { LOOPBACK } from '@signet/platform/outbound-http/address-policy'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import type { DatabaseRole } from '@signet/platform/postgres/roles'
import { createFakeClock } from '@signet/testing/fake-clock'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { applyBootstrap, type BootstrapFileInput } from '../src/bootstrap.ts'
import { migrations } from '../src/migrations.ts'

/** A migrated directory of its own, and the hands to fill and inspect it. */
export async function directoryFixture() {
  const testDatabase = await createTestDatabase({ migrations: [migrations] })
  const pools: Database[] = []
  const connect = (url: Secret): Database => {
    const pool = createPool({ url, applicationName: 'directory test', max: 4 })
    pools.push(pool)
    return pool
  }
  const owner = connect(testDatabase.url('signet_directory'))
  let administrator: Database | undefined
  const clock = createFakeClock()
  const masterKeys = [randomBytes(32)]
  const config = {
    issuer: 'http://localhost:8080',
    masterKeys: new Secret<readonly Buffer[]>(masterKeys),
    passkeys: passkeyParty('http://localhost:8080'),
    trustedProxies: new BlockList(),
    outboundAllow: LOOPBACK,
    passwords: { minScore: 3 },
    signInNotices: true,
    console: true,
    ownAccountDeletion: true,
  }
  return {
    clock,
    config,
    masterKeys,
    /** Connected as the directory itself. */
    owner,
    /** Connected with the rights of another service. */
    as: (role: DatabaseRole) => connect(testDatabase.url(role)),
    superuser: () => connect(testDatabase.adminUrl),
    apply: (
      document: BootstrapFileInput,
      environment: Readonly<Record<string, string>> = {},
      keys: readonly Buffer[] = masterKeys,
    ) =>
      applyBootstrap({
        document,
        config: { masterKeys: new Secret(keys) },
        database: owner,
        environment,
        now: clock.now,
        random: randomBytes,
        logger: silentLogger,
      }),
    async rows<R = Record<string, unknown>>(text: string, values: readonly unknown[] = []) {
      return (await owner.query<R>({ name: '', text, values })).rows
    },
    /** Runs a statement as superuser: the service may only add rows to its audit log. */
    async asAdministrator<R = Record<string, unknown>>(text: string, values: readonly unknown[] = []) {
      administrator ??= connect(testDatabase.adminUrl)
      return (await administrator.query<R>({ name: '', text, values })).rows
    },
    async stop() {
      await Promise.all(pools.map((pool) => pool.close()))
      await testDatabase.drop()
    },
  }
}

export type DirectoryFixture = Awaited<ReturnType<typeof directoryFixture>>

export const PASSWORD = 'Correct-horse-9'

/** Returns a document of an organization with an object of each kind. */
export function sampleDocument(): SampleDocument {
  return {
    organizations: [
      {
        id: 'acme',
        name: 'ACME',
        primaryDomain: 'acme.localhost',
        users: [
          {
            id: 'alice',
            userName: 'alice',
            profile: { givenName: 'Alice', familyName: 'Example', preferredLanguage: 'en' },
            email: { address: 'Alice@acme.localhost', verified: true },
            address: { locality: 'Zurich', country: 'CH' },
            password: PASSWORD,
            totpSecret: 'JBSWY3DPEHPK3PXP',
            metadata: { customer_no: '4711' },
            roles: ['ORG_OWNER', 'IAM_OWNER_VIEWER'],
          },
        ],
        serviceUsers: [
          {
            id: 'migrator-id',
            userName: 'migrator',
            clientSecret: 'a-secret-of-people-1',
            personalAccessTokens: [{ id: 'first', token: 'p'.repeat(40) }],
          },
        ],
        projects: [
          {
            id: 'portal',
            name: 'Portal',
            roles: [{ key: 'admin' }],
            grants: [{ userId: 'alice', roles: ['admin'] }],
            applications: [
              {
                id: 'web',
                clientId: 'web',
                name: 'Web',
                type: 'web',
                clientSecret: 'x'.repeat(43),
                redirectUris: ['http://localhost:3000/callback'],
              },
            ],
          },
        ],
      },
    ],
    features: { oidcTokenExchange: true },
    settings: { accessTokenLifetime: '10m' },
    defaultOrganization: 'acme',
  }
}

type Organizations = NonNullable<BootstrapFileInput['organizations']>
export type SampleDocument = BootstrapFileInput & { organizations: Organizations }

/** The first organization of a document, to be changed by a test. */
export function acme({ organizations }: SampleDocument): Organizations[number] {
  const [organization] = organizations
  if (organization === undefined) throw new Error('the document has no organization')
  return organization
}
