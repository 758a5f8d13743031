import { createHash, randomBytes } from 'node:crypto'
import { BlockList } from 'node:net'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { applyBootstrap, type BootstrapFileInput } from '@signet/directory/bootstrap'
import { migrations as directoryMigrations } from '@signet/directory/migrations'
import { rpcClient } from '@signet/grpc/client'
import { AuthorizationService } from '@signet/grpc/gen/token/v1/authorization_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { migrations as keysMigrations } from '@signet/keys/migrations'
import { migrations as migrationMigrations } from '@signet/migration/migrations'
import { Secret } from '@signet/platform/config/settings-fields'
import { silentLogger } from '@signet/platform/logger/logger'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import { DATABASE_ROLES } from '@signet/platform/postgres/roles'
import { type HttpListener, listenHttp } from '@signet/platform/process/http-listener'
import type { Clock } from '@signet/platform/runtime/clock'
import { publicRouter } from '@signet/standalone/public-router'
import { type Suite, startSuite } from '@signet/standalone/suite'
import { startPgbouncer } from '@signet/testing/pgbouncer'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { startPrivateRedis } from '@signet/testing/redis-fixture'
import { migrations as tokenMigrations } from '@signet/token/migrations'

const ISSUER = 'https://id.example.com'
const REDIRECT_URI = 'https://app.example.com/callback'
const ADMIN_TOKEN = randomBytes(32).toString('base64url')
const WEB_SECRET = randomBytes(32).toString('base64url')
const API_SECRET = randomBytes(32).toString('base64url')

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

export interface Answer<T> {
  readonly status: number
  readonly body: T
}

/** Several copies of the suite in this process, over one database and one Redis. */
export interface Suites {
  readonly database: Database
  readonly redisUrl: Secret
  readonly replicas: readonly Replica[]
  close(): Promise<void>
}

export interface Replica {
  readonly suite: Suite
  /** Epoch is that of the user when the session began. */
  issueCode(session: { sid: string; userId: string; userEpoch: number }): Promise<string>
  redeem(code: string): Promise<Answer<Tokens>>
  refresh(refreshToken: string): Promise<Answer<Tokens>>
  revoke(token: string): Promise<Answer<unknown>>
  isActive(accessToken: string): Promise<boolean>
  logout(session: { sid: string; userId: string }): Promise<void>
  /** As the administrator of the instance. */
  manage(method: string, path: string, body?: unknown): Promise<Answer<unknown>>
  manageAs(bearer: string, method: string, path: string, body?: unknown): Promise<Answer<unknown>>
  /** A token of a service user, for resource servers of the project portal. */
  clientCredentials(clientId: string, clientSecret: string): Promise<Answer<Pick<Tokens, 'access_token'>>>
}

export interface SuitesOptions {
  /** Lets every service connect through PgBouncer in transaction mode. */
  readonly pooled?: boolean
  readonly replicas: number
  readonly userIds: readonly string[]
  readonly now?: Clock
}

export async function startSuites({
  replicas: count,
  userIds,
  now = () => new Date(),
  pooled = false,
}: SuitesOptions): Promise<Suites> {
  const opened = new AsyncDisposableStack()
  const postgres = await createTestDatabase({
    migrations: [directoryMigrations, tokenMigrations, keysMigrations, migrationMigrations],
  })
  opened.defer(() => postgres.drop())
  const redis = await startPrivateRedis()
  opened.defer(() => redis.drop())
  const masterKeys = new Secret([randomBytes(32)])
  const pool = (url: Secret) => {
    const database = createPool({ url, applicationName: 'test', max: 2 })
    opened.defer(() => database.close())
    return database
  }
  await applyBootstrap({
    document: bootstrap(userIds),
    config: { masterKeys },
    database: pool(postgres.url('signet_directory')),
    environment: {},
    now,
    random: randomBytes,
    logger: silentLogger,
  })
  const pooler = pooled ? await startPgbouncer(DATABASE_ROLES.map(postgres.url)) : undefined
  if (pooler !== undefined) opened.defer(() => pooler.stop())
  const replicas: Replica[] = []
  for (let index = 0; index < count; index += 1) {
    const suite = await startSuite({
      config: {
        issuer: ISSUER,
        trustedProxies: new BlockList(),
        revocationLog: true,
        rateLimits: {},
        outboundAllow: new BlockList(),
        namedStatements: !pooled,
      },
      masterKeys: { keys: masterKeys, directory: masterKeys, migration: masterKeys, login: masterKeys },
      databaseUrl: (role) => pooler?.through(postgres.url(role)) ?? postgres.url(role),
      redisUrl: redis.url,
      logger: silentLogger,
      now,
      random: randomBytes,
      heapBytes: 2 ** 30,
    })
    opened.defer(() => suite.stop())
    const http = await listenHttp({
      listener: publicRouter(suite.listeners, ISSUER),
      host: '127.0.0.1',
      port: 0,
    })
    opened.defer(async () => {
      await http.close(1_000)
    })
    await ready(suite)
    replicas.push(replica(suite, http))
  }
  return {
    database: pool(postgres.adminUrl),
    redisUrl: redis.url,
    replicas,
    close: () => opened.disposeAsync(),
  }
}

async function ready(suite: Suite): Promise<void> {
  while ((await suite.notReady()).length > 0) await new Promise((resolve) => setImmediate(resolve))
}

function replica(suite: Suite, { port }: HttpListener): Replica {
  const base = `http://127.0.0.1:${port}`
  const authorization = rpcClient(AuthorizationService, suite.network.transport('login', 'token'))
  const revocation = rpcClient(RevocationService, suite.network.transport('login', 'token'))
  const post = async <T>(path: string, client: string, form: Record<string, string>): Promise<Answer<T>> => {
    const res = await fetch(base + path, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(client).toString('base64')}` },
      body: new URLSearchParams(form),
    })
    const text = await res.text()
    return { status: res.status, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }
  const manageAs: Replica['manageAs'] = async (bearer, method, path, body) => {
    const res = await fetch(`${base}/management/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await res.text()
    return { status: res.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const web = `web:${WEB_SECRET}`
  return {
    suite,
    async issueCode({ sid, userId, userEpoch }) {
      const { code } = await authorization.issueCode(
        {
          clientId: 'web',
          redirectUri: REDIRECT_URI,
          scopes: ['openid', 'offline_access'],
          session: {
            sid,
            userId,
            organizationId: 'acme',
            authTime: timestampFromDate(new Date()),
            amr: ['pwd'],
            userEpoch: BigInt(userEpoch),
            organizationEpoch: 0n,
          },
        },
        { timeoutMs: 5_000 },
      )
      return code
    },
    redeem: (code) =>
      post('/oauth/v2/token', web, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }),
    refresh: (token) => post('/oauth/v2/token', web, { grant_type: 'refresh_token', refresh_token: token }),
    revoke: (token) => post('/oauth/v2/revoke', web, { token }),
    async isActive(token) {
      const { body } = await post<{ active: boolean }>('/oauth/v2/introspect', `api:${API_SECRET}`, { token })
      return body.active
    },
    async logout(session) {
      await revocation.endSession({ sessions: [session] }, { timeoutMs: 5_000 })
    },
    manage: (method, path, body) => manageAs(ADMIN_TOKEN, method, path, body),
    manageAs,
    clientCredentials: (clientId, clientSecret) =>
      post('/oauth/v2/token', `${clientId}:${clientSecret}`, {
        grant_type: 'client_credentials',
        scope: 'openid urn:service:iam:org:project:id:portal:aud',
      }),
  }
}

function bootstrap(userIds: readonly string[]): BootstrapFileInput {
  const profile = { givenName: 'Given', familyName: 'Family' }
  return {
    organizations: [
      {
        id: 'acme',
        name: 'ACME',
        primaryDomain: 'acme.localhost',
        users: userIds.map((id) => ({
          id,
          userName: id,
          profile,
          email: { address: `${id}@acme.localhost`, verified: true },
        })),
        serviceUsers: [
          {
            id: 'admin',
            userName: 'admin',
            name: 'Administrator',
            roles: ['IAM_OWNER'],
            personalAccessTokens: [
              { id: 'admin-token', token: ADMIN_TOKEN, expiresAt: '2100-01-01T00:00:00Z' },
            ],
          },
        ],
        projects: [
          {
            id: 'portal',
            name: 'Portal',
            applications: [
              {
                id: 'web',
                clientId: 'web',
                name: 'Web',
                type: 'web',
                authMethod: 'client_secret_basic',
                clientSecret: WEB_SECRET,
                firstParty: true,
                redirectUris: [REDIRECT_URI],
                responseTypes: ['code'],
                grantTypes: ['authorization_code', 'refresh_token'],
              },
              {
                id: 'api',
                clientId: 'api',
                name: 'API',
                type: 'api',
                authMethod: 'client_secret_basic',
                clientSecret: API_SECRET,
              },
            ],
          },
        ],
      },
    ],
  }
}

/** Numbers from 0 up to 1 that are the same for the same seed, so that a failing interleaving can be run again. */
export function seeded(seed: string): () => number {
  let counter = 0
  return () => {
    counter += 1
    return createHash('sha256').update(`${seed} ${counter}`).digest().readUInt32BE() / 2 ** 32
  }
}
