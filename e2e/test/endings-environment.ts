import { rm } from 'node:fs/promises'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { createMovableClock, type MovableClock } from '@signet/testing/movable-clock'
import { type RedisProcess, startRedisProcess } from '@signet/testing/redis-process'
import { cutReplication } from '@signet/testing/redis-topologies'
import { createPreparedDataDirectory } from '@signet/testing/system/prepared-data'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import {
  type RestartablePostgres,
  startRestartablePostgres,
} from '@signet/testing/system/restartable-postgres'
import { startSystem } from '@signet/testing/system/start-system'
import {
  ADMIN_TOKEN,
  bootstrapDocument,
  OTHER_SECRET,
  PASSWORD,
  REDIRECT_URI,
} from '@signet/testing/system/test-directory'
import { startTcpRelay, type TcpRelay } from '@signet/testing/tcp-relay'
import { temporaryFolder } from '@signet/testing/temporary-folder'

export interface Person {
  readonly id: string
  readonly loginName: string
  /** Organization of a person that may be deactivated. */
  readonly organization?: string
}

/** The part of the directory that the steps of one sequence act on, so that several sequences may run at once. */
export interface Share {
  /** Both may exchange tokens; the access tokens of the second are JWT. */
  readonly clients: readonly [string, string]
  readonly people: readonly [Person, ...Person[]]
  /** Acts as the others, with tokens of the management API from the client `desk`. */
  readonly administrator: Person
  readonly desk: string
  /** Has a person and nothing else. */
  readonly organization: string
  readonly robot: string
}

export const SHARES: readonly [Share, ...Share[]] = [shareOf(1), shareOf(2), shareOf(3)]

function shareOf(number: number): Share {
  const organization = `guests-${number}`
  const members = ['ann', 'ben', 'cid'].map((name) => ({
    id: `${name}-${number}`,
    loginName: `${name}-${number}`,
  }))
  const guest = { id: `gus-${number}`, loginName: `gus-${number}@${organization}.localhost`, organization }
  return {
    clients: [`opaque-${number}`, `jwt-${number}`],
    people: [guest, ...members],
    administrator: { id: `boss-${number}`, loginName: `boss-${number}` },
    desk: `desk-${number}`,
    organization,
    robot: `robot-${number}`,
  }
}

/** The role by which an administrator of a share acts as its people. */
export const ACTING_ROLE = 'IAM_END_USER_IMPERSONATOR'

/** The services as processes in front of databases that a test may silence, stop, empty, fill and replace. */
export interface EndingsEnvironment {
  readonly system: ProcessSystem
  readonly clock: MovableClock
  readonly postgres: RestartablePostgres
  readonly postgresRelay: TcpRelay
  readonly redisRelay: TcpRelay
  /** Connects the superuser past the relay. */
  readonly database: Database
  /** The present primary. */
  redis(): RedisProcess
  /** Cuts off the replica of Redis, which receives no writes then; `promoteReplica` has to follow. */
  cutReplica(): Promise<void>
  /** Kills the primary, promotes its replica as it is, and makes a new replica. */
  promoteReplica(): Promise<void>
  stop(): Promise<void>
}

/** The functions of a movable clock cost PostgreSQL more than reading a row. */
const REAL_CLOCK: MovableClock = {
  environment: { NODE_OPTIONS: '--max-old-space-size=128' },
  offsetMs: () => 0,
  move: () => Promise.reject(new Error('the real clock cannot be moved')),
  setAhead: () => Promise.reject(new Error('the real clock cannot be moved')),
}

export async function startEndingsEnvironment({
  readers = 2,
  logins = 1,
  realClock = false,
} = {}): Promise<EndingsEnvironment> {
  const opened = new AsyncDisposableStack()
  try {
    const postgres = await startRestartablePostgres(await createPreparedDataDirectory())
    opened.defer(() => postgres.stop())
    const postgresRelay = await startTcpRelay(postgres.url)
    opened.defer(() => postgresRelay.stop())
    let primary = await startRedisProcess()
    let standby = await startReplicaOf(primary)
    opened.defer(async () => {
      await Promise.all([primary.drop(), standby.drop()])
    })
    const redisRelay = await startTcpRelay(primary.url)
    opened.defer(() => redisRelay.stop())
    const folder = await temporaryFolder('clock')
    opened.defer(() => rm(folder, { recursive: true, force: true }))
    const clock = realClock
      ? REAL_CLOCK
      : await createMovableClock({ folder, postgresAdminUrl: postgres.url, redis: () => primary.admin })
    const system = await startSystem({
      mode: 'processes',
      document: endingsDocument(),
      postgresUrl: postgresRelay.through(postgres.url),
      redisUrl: redisRelay.through(primary.url),
      services: { token: 2, introspection: readers, login: logins },
      environment: clock.environment,
    })
    opened.defer(() => system.stop())
    const database = createPool({
      url: postgres.url,
      applicationName: 'test',
      max: 3,
      onIdleError: () => undefined,
    })
    opened.defer(() => database.close())
    await allowExchangesAndImpersonations(system)
    return {
      system,
      clock,
      database,
      postgres,
      postgresRelay,
      redisRelay,
      redis: () => primary,
      cutReplica: () => cutReplication(primary, standby),
      async promoteReplica() {
        const deposed = primary
        await deposed.kill()
        standby.thaw()
        await standby.admin.call('REPLICAOF', 'NO', 'ONE')
        primary = standby
        redisRelay.lead(primary.url)
        await deposed.drop()
        standby = await startReplicaOf(primary)
      },
      stop: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

async function allowExchangesAndImpersonations(system: ProcessSystem): Promise<void> {
  const security = { enableImpersonation: true, iamRequiresMfa: false }
  const organizations = ['acme', ...SHARES.map(({ organization }) => organization)]
  const answers = await Promise.all([
    system.administer('PUT', '/v2/features/instance', { oidcTokenExchange: true }),
    system.administer('PATCH', '/v2/policies/security', security),
    ...organizations.map((id) =>
      system.manage('PATCH', `/organizations/${id}/policies/login`, { allowImpersonation: true }),
    ),
  ])
  const refused = answers.find(({ status }) => status !== 200)
  if (refused !== undefined) throw new Error(`a setting stays off: ${refused.text}`)
}

async function startReplicaOf(primary: RedisProcess): Promise<RedisProcess> {
  const replica = await startRedisProcess()
  // Not as an argument, with which it would be a replica again when it restarts after its promotion.
  await replica.admin.call('REPLICAOF', '127.0.0.1', primary.port)
  while (!(await replica.admin.info('replication')).includes('master_link_status:up')) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return replica
}

function endingsDocument() {
  const document = bootstrapDocument()
  const people = SHARES.flatMap((share) => share.people)
  const [organization] = document.organizations
  const application = (id: string) => ({
    id,
    clientId: id,
    name: id,
    type: 'web',
    accessTokenType: id.startsWith('jwt') ? 'jwt' : 'bearer',
    // Longer than an impersonation, whose tokens end with it.
    accessTokenLifetime: '3h',
    firstParty: true,
    redirectUris: [REDIRECT_URI],
    postLogoutRedirectUris: ['https://app.example.com/goodbye'],
    authMethod: 'client_secret_basic',
    clientSecret: OTHER_SECRET,
    grantTypes: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:token-exchange'],
  })
  const applications = SHARES.flatMap(({ clients, desk }) => [
    ...clients.map(application),
    { ...application(desk), mayCallApi: true },
  ])
  return {
    ...document,
    organizations: [
      {
        ...organization,
        serviceUsers: [
          ...(organization?.serviceUsers ?? []).map((user) => ({
            ...user,
            // Longer than the time that all tests move the clock by.
            personalAccessTokens: [{ id: 'first', token: ADMIN_TOKEN, expiresAt: '9000-01-01T00:00:00Z' }],
          })),
          ...SHARES.map(({ robot }) => ({ id: robot, userName: robot })),
        ],
        users: [
          ...(organization?.users ?? []),
          ...people.filter((person) => !person.organization).map(userOf),
          ...SHARES.map(({ administrator }) => ({ ...userOf(administrator), roles: [ACTING_ROLE] })),
        ],
        projects: organization?.projects.map((project, index) =>
          index === 0 ? { ...project, applications: [...project.applications, ...applications] } : project,
        ),
      },
      ...SHARES.map(({ organization: id }) => ({
        id,
        name: id,
        primaryDomain: `${id}.localhost`,
        users: people.filter((person) => person.organization === id).map(userOf),
      })),
    ],
  }
}

function userOf({ id }: Person) {
  return { id, userName: id, profile: { givenName: id, familyName: id }, password: PASSWORD }
}
