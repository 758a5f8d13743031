import { randomBytes } from 'node:crypto'
import { BlockList } from 'node:net'
import { rpcClient } from '@signet/grpc/client'
import { SessionService } from '@signet/grpc/gen/login/v1/session_service_pb'
import { SignInService } from '@signet/grpc/gen/login/v1/sign_in_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import type { RpcService } from '@signet/grpc/service'
import { servedRoutes } from '@signet/http/app'
import { passkeyParty } from '@signet/platform/config/passkey-settings'
import { Secret } from '@signet/platform/config/settings-fields'
import { type Logger, silentLogger } from '@signet/platform/logger/logger'
import { createPool } from '@signet/platform/postgres/pool'
import { connectRedis, createRedis } from '@signet/platform/redis/client'
import { withClient } from '@signet/testing/database-names'
import { createFakeClock } from '@signet/testing/fake-clock'
import { startHttpServer } from '@signet/testing/http-server'
import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { createTestRedis } from '@signet/testing/redis-fixture'
import { exportJWK, generateKeyPair } from 'jose'
import { migrations as directory } from '../../directory/src/migrations.ts'
import { migrations as token } from '../../token/src/migrations.ts'
import type { LoginDependencies } from '../src/config.ts'
import { startLogin } from '../src/service.ts'
import { type PageView, TestBrowser } from './browser.ts'
import { fakeDirectory } from './fake-directory.ts'
import { FakeServices, PASSWORD } from './fake-services.ts'
import { fakeKeys, fakeToken } from './fake-token.ts'
import { FakeUpstream } from './fake-upstream.ts'

export const WEB_REQUEST = {
  client_id: 'web',
  redirect_uri: 'https://rp.localhost/callback',
  response_type: 'code',
  scope: 'openid',
  state: 'st&te=1',
} as const

interface TestEnvironmentOptions {
  readonly issuer?: string
  /** Requests a second of one network; absent: no limit. */
  readonly signInLimit?: number
  readonly redisUrl?: Secret
  readonly logger?: Logger
  /** Served as the directory, beside the fakes. */
  readonly directoryServices?: readonly RpcService[]
  /** Newest first; a random one by default. */
  readonly masterKeys?: readonly Buffer[]
}

interface BegunDevice {
  readonly status: number
  readonly device_code: string
  readonly user_code: string
  readonly error?: string
}

/** Starts the service on an HTTP port with its own database and Redis, and with fakes of the services that it calls. */
export async function startTestEnvironment(options: TestEnvironmentOptions = {}) {
  const { issuer = 'http://localhost:8080' } = options
  const testDatabase = await createTestDatabase({ migrations: [directory, token] })
  const testRedis = options.redisUrl === undefined ? await createTestRedis() : undefined
  await asOwner(testDatabase.adminUrl, ROWS)
  const database = createPool({ url: testDatabase.url('signet_login'), applicationName: 'signet-login' })
  const redisUrl = options.redisUrl ?? testRedis?.url
  if (redisUrl === undefined) throw new Error('no Redis')
  // Long enough for a busy machine.
  const redis = createRedis({ url: redisUrl, name: 'signet-login', commandTimeoutMs: 20_000 })
  await connectRedis(redis)
  const network = createInProcessNetwork({ onFailure: () => undefined })
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const fakes = new FakeServices(issuer, privateKey)
  const upstream = new FakeUpstream(fakes.epochs)
  const directoryServices = [upstream.accounts(), ...fakeDirectory(fakes)]
  network.serve('directory', [...(options.directoryServices ?? []), ...directoryServices])
  network.serve('federation', [upstream.federation()])
  network.serve('token', fakeToken(fakes))
  network.serve('keys', fakeKeys(fakes, JSON.stringify(await exportJWK(publicKey))))
  const clock = createFakeClock()
  const dependencies: LoginDependencies = {
    config: {
      issuer,
      masterKeys: new Secret(options.masterKeys ?? [randomBytes(32)]),
      rateLimits: { signIn: options.signInLimit },
      passkeys: passkeyParty(issuer),
      trustedProxies: new BlockList(),
      revocationLog: true,
      firstSteps: {
        mailbox: '/ui/mailbox',
        console: '/console/',
        applications: [{ name: 'Shop', url: 'http://localhost:3000', command: 'npm run example' }],
      },
    },
    database,
    redis,
    transports: {
      directory: network.transport('login', 'directory'),
      token: network.transport('login', 'token'),
      keys: network.transport('login', 'keys'),
      federation: network.transport('login', 'federation'),
    },
    logger: options.logger ?? silentLogger,
    now: clock.now,
    random: randomBytes,
  }
  const service = await startLogin(dependencies)
  network.serve('login', service.rpc ?? [])
  if (service.http === undefined) throw new Error('login serves http')
  const server = await startHttpServer(service.http)
  const { port } = server
  const replicas: { stop(): Promise<void> }[] = []
  return {
    issuer,
    port,
    clock,
    fakes,
    upstream,
    redis,
    /** The client of the directory. */
    userSessions: rpcClient(SessionService, network.transport('directory', 'login')),
    signIns: rpcClient(SignInService, network.transport('directory', 'login')),
    adminUrl: testDatabase.adminUrl,
    /** Starts another replica, which has the same stores, and returns its port. */
    async startReplica(): Promise<number> {
      const replica = await startLogin(dependencies)
      if (replica.http === undefined) throw new Error('login serves http')
      const other = await startHttpServer(replica.http)
      replicas.push(other, replica)
      return other.port
    },
    /** The routes that the service answers. */
    routes: servedRoutes(service.http),
    newBrowser: () => new TestBrowser(port),
    /** Opens an authorization request: the parameters are added to those of a plain request of `web`. */
    async authorize(
      browser: TestBrowser,
      parameters: Readonly<Record<string, string>> = {},
    ): Promise<PageView> {
      const query = new URLSearchParams({ ...WEB_REQUEST, ...parameters })
      const view = await browser.get(`/oauth/v2/authorize?${query}`)
      return browser.follow(view)
    },
    /** Begins the request of a device, and returns its answer. */
    async beginDevice(parameters: Readonly<Record<string, string>> = {}, at = port): Promise<BegunDevice> {
      const response = await fetch(`http://127.0.0.1:${at}/oauth/v2/device_authorization`, {
        method: 'POST',
        headers: { connection: 'close' },
        body: new URLSearchParams({ client_id: 'tv', scope: 'openid', ...parameters }),
      })
      return { status: response.status, ...((await response.json()) as Omit<BegunDevice, 'status'>) }
    },
    /** Signs in on the shown page and returns the parameters of the redirect URI. */
    async signIn(browser: TestBrowser, page: PageView, loginName = 'user1'): Promise<URLSearchParams> {
      const answer = await browser.follow(
        await browser.submit(page, { login_name: loginName, password: PASSWORD }),
      )
      return new URL(answer.location).searchParams
    },
    notReady: () => service.notReady(),
    async stop() {
      for (const one of replicas) await one.stop()
      await server.stop()
      await service.stop()
      redis.disconnect()
      await database.close()
      await testRedis?.drop()
      await testDatabase.drop()
    },
  }
}

export type TestEnvironment = Awaited<ReturnType<typeof startTestEnvironment>>

const ROWS = [
  `INSERT INTO directory.organization (organization_id, name, primary_domain) VALUES ('acme', 'ACME', 'acme.localhost'), ('globex', 'Globex', 'globex.localhost'), ('shut', 'Shut', 'shut.localhost')`,
  `UPDATE directory.organization SET state = 'inactive' WHERE organization_id = 'shut'`,
  `INSERT INTO directory.organization_domain VALUES ('acme', 'acme.localhost', true), ('globex', 'globex.localhost', true), ('shut', 'shut.localhost', true)`,
  `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
   VALUES ('user1', 'acme', 'human', 'user1', 'user1', 'User1 Example'),
          ('user2', 'acme', 'human', 'user2', 'user2', 'User2 Example'),
          ('user3', 'acme', 'human', 'user3', 'user3', 'User3 Example'),
          ('user4', 'acme', 'human', 'user4', 'user4', 'User4 Example'),
          ('globex2', 'globex', 'human', 'globex2', 'globex2', 'Globex2 Example'),
          ('totpuser', 'acme', 'human', 'totpuser', 'totpuser', 'Totpuser Example'),
          ('globex1', 'globex', 'human', 'globex1', 'globex1', 'Globex1 "<b>" Example')`,
  `INSERT INTO directory.project (project_id, organization_id, name) VALUES ('portal', 'acme', 'Portal')`,
  `INSERT INTO directory.application
     (application_id, client_id, project_id, name, type, auth_method, redirect_uris, post_logout_redirect_uris,
      response_types, grant_types, pkce_optional, state)
   VALUES ('a1', 'web', 'portal', 'Portal <web>', 'web', 'client_secret_basic',
           '{https://rp.localhost/callback,https://rp.localhost/callback?tenant=1,javascript:alert(1)}',
           '{https://rp.localhost/bye,https://rp.localhost/bye?x=1}', '{code}', '{authorization_code,refresh_token}', false, 'active'),
          ('a2', 'spa', 'portal', 'Portal SPA', 'user_agent', 'none',
           '{https://spa.localhost/callback}', '{https://spa.localhost/bye}', '{code}', '{authorization_code}', false, 'active'),
          ('a3', 'native', 'portal', 'Portal app', 'native', 'none',
           '{http://127.0.0.1/callback,http://localhost:3000/callback,com.example.app:/callback}', '{}', '{code}', '{authorization_code,refresh_token}', true, 'active'),
          ('a4', 'implicit', 'portal', 'Old SPA', 'user_agent', 'none',
           '{https://old.localhost/callback}', '{}', '{id_token,id_token token}', '{implicit}', false, 'active'),
          ('a5', 'codeless', 'portal', 'No grant', 'web', 'client_secret_basic',
           '{https://rp.localhost/callback}', '{}', '{code}', '{refresh_token}', false, 'active'),
          ('a6', 'asleep', 'portal', 'Switched off', 'web', 'client_secret_basic',
           '{https://rp.localhost/callback}', '{}', '{code}', '{authorization_code}', false, 'inactive')`,
  `INSERT INTO directory.application
     (application_id, client_id, project_id, name, type, auth_method, redirect_uris, post_logout_redirect_uris,
      response_types, grant_types, dev_mode)
   VALUES ('a9', 'web-in-development', 'portal', 'Portal in development', 'web', 'client_secret_basic',
           '{https://rp.localhost/callback}', '{https://rp.localhost/bye}', '{code}', '{authorization_code}', true)`,
  `INSERT INTO directory.application
     (application_id, client_id, project_id, name, type, auth_method, redirect_uris, post_logout_redirect_uris,
      response_types, grant_types)
   VALUES ('a10', 'tv', 'portal', 'Portal TV', 'native', 'none', '{}', '{}', '{}',
           '{urn:ietf:params:oauth:grant-type:device_code,refresh_token}')`,
  // All applications are first-party: the tests use prompt=consent, or an application of another organization.
  `UPDATE directory.application SET first_party = true`,
  `INSERT INTO directory.project (project_id, organization_id, name)
   VALUES ('lunch', 'globex', 'Lunch'), ('payroll', 'globex', 'Payroll'), ('ledger', 'acme', 'Ledger')`,
  `UPDATE directory.project SET allowed_audiences = '{lunch-menu,lunch-app}' WHERE project_id = 'ledger'`,
  `INSERT INTO directory.application
     (application_id, client_id, project_id, name, type, auth_method, redirect_uris, post_logout_redirect_uris,
      response_types, grant_types, pkce_optional, state)
   VALUES ('a7', 'lunch-menu', 'lunch', 'Lunch menu', 'web', 'client_secret_basic',
           '{https://lunch.localhost/callback}', '{}', '{code,id_token}', '{authorization_code,implicit,refresh_token}', false, 'active'),
          ('a8', 'lunch-app', 'lunch', 'Lunch app', 'native', 'none',
           '{http://127.0.0.1/callback}', '{}', '{code}', '{authorization_code,refresh_token}', true, 'active')`,
  // The token service creates partitions in advance; here one partition takes all days.
  `CREATE TABLE grants.revocation_any_day PARTITION OF grants.revocation DEFAULT`,
  `CREATE TABLE grants.ended_session_any_month PARTITION OF grants.ended_session DEFAULT`,
]

/** Writes as the owner of the tables, in one transaction. */
export const asOwner = (adminUrl: Secret, statements: readonly string[]) =>
  withClient(adminUrl.reveal(), (client) => client.query(statements.join(';\n')))
