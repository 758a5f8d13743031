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
import { placesOf, tableDigests } from '@signet/testing/stored-rows'
import { AuditEntryStore } from '../src/audit/audit-entry.repository.ts'
import type { AuditEntry, AuditFilter } from '../src/audit/audit-entry.ts'
import { applyBootstrap, type BootstrapFileInput } from '../src/bootstrap.ts'
import { migrations } from '../src/migrations.ts'

const EPOCHS = {
  account: ['account_life_v1', 'user_id'],
  client: ['client_life_v1', 'client_id'],
  organization: ['organization_v1', 'organization_id'],
} as const

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
  /** Runs a statement as superuser: the service may only add rows to its audit log. */
  async function asAdministrator<R = Record<string, unknown>>(text: string, values: readonly unknown[] = []) {
    administrator ??= connect(testDatabase.adminUrl)
    return (await administrator.query<R>({ name: '', text, values })).rows
  }
  async function allRows(text: string, name: string) {
    administrator ??= connect(testDatabase.adminUrl)
    return (await administrator.query<object>({ name, text })).rows
  }
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
    asAdministrator,
    /** Returns the audit events, newest first, as the operation audit.list finds them; those of one moment by action. */
    async audited(filter: AuditFilter = {}): Promise<readonly AuditedEvent[]> {
      const found = await new AuditEntryStore(owner).newest(filter, { after: undefined, limit: 1_000 })
      const order = ({ entry: { action, result }, position: { microseconds } }: (typeof found)[number]) =>
        `${microseconds} ${action} ${result === 'success' ? 1 : 0}`
      return found
        .toSorted((one, other) => (order(one) < order(other) ? 1 : -1))
        .map(({ entry: { actor, target, ...entry } }) => ({
          ...{ actorKind: actor.kind, actorId: actor.id, targetKind: target?.kind, targetId: target?.id },
          ...entry,
        }))
    },
    /** Returns the epoch of a user, a client or an organization as the published views have it. */
    async epochOf(kind: 'account' | 'client' | 'organization', id: string): Promise<number | undefined> {
      const [view, key] = EPOCHS[kind]
      const text = `SELECT token_epoch FROM directory_read.${view} WHERE ${key} = $1`
      const { rows } = await owner.query<{ token_epoch: number }>({ name: '', text, values: [id] })
      return rows[0]?.token_epoch
    },
    /** Returns a digest for each table of the directory, without its audit log. */
    digests: (except: readonly string[] = []) => tableDigests(allRows, ['directory'], except),
    /** Returns the tables, those of the audit log too, that hold one of the texts in any form. */
    placesOf: (...texts: readonly string[]) => placesOf(texts, allRows, ['directory', 'directory_audit']),
    async stop() {
      await Promise.all(pools.map((pool) => pool.close()))
      await testDatabase.drop()
    },
  }
}

interface AuditedEvent extends Omit<AuditEntry, 'actor' | 'target'> {
  readonly actorKind: string
  readonly actorId: string | undefined
  readonly targetKind: string | undefined
  readonly targetId: string | undefined
}

/** Returns the named members of each object, for a comparison that is exact in these. */
export const pick = <T, K extends keyof T>(objects: readonly T[], ...names: readonly K[]): Pick<T, K>[] =>
  objects.map((object) => Object.fromEntries(names.map((name) => [name, object[name]])) as Pick<T, K>)

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
