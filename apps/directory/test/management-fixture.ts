import { randomBytes } from 'node:crypto'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import { SessionService } from '@signet/grpc/gen/login/v1/session_service_pb'
import { SignInService } from '@signet/grpc/gen/login/v1/sign_in_service_pb'
import { BearerService, SubjectKind } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import { PreviewService } from '@signet/grpc/gen/token/v1/preview_service_pb'
import { EndingKind, RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { createInProcessNetwork } from '@signet/grpc/in-process'
import { rpcService } from '@signet/grpc/service'
import type { SmtpConfig } from '@signet/platform/config/smtp-settings'
import { type Logger, silentLogger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Database } from '@signet/platform/postgres/pool'
import { listenHttp } from '@signet/platform/process/http-listener'
import { openapiContract } from '@signet/testing/openapi-contract'
import { openapiText } from '../src/openapi-document.ts'
import { OPERATIONS } from '../src/operations.ts'
import { startDirectory } from '../src/service.ts'
import { directoryFixture } from './directory-fixture.ts'

export interface Bearer {
  readonly userId?: string
  readonly organizationId?: string
  readonly tokenId?: string
  /** Whether the caller is a person; by default it is a service user. */
  readonly isPerson?: boolean
  /** Seconds since 1970. */
  readonly authTime?: number
  readonly act?: readonly string[]
  /** `ORG_OWNER acme`: the role and where it holds. */
  readonly roles: readonly string[]
}

const contract = openapiContract(JSON.parse(openapiText(OPERATIONS)))

const KINDS: Readonly<Record<number, string>> = {
  [EndingKind.USER]: 'USER',
  [EndingKind.CLIENT]: 'CLIENT',
  [EndingKind.ORGANIZATION]: 'ORGANIZATION',
}

interface Options {
  readonly issuer?: string
  readonly logger?: Logger
  readonly metrics?: Metrics
  /** Whether clients register themselves; by default they do. */
  readonly clientRegistration?: boolean
  /** Most calls of one caller. */
  readonly callsPerSecond?: number
  /** The SMTP server of the instance. */
  readonly smtp?: Omit<SmtpConfig, 'dailyLimit'> & Partial<SmtpConfig>
  /** Wraps the database of the service. */
  readonly wrapDatabase?: (database: Database) => Database
  /** The holder of a bearer that a test has not set in `bearers`. */
  readonly findBearer?: (bearer: string) => Promise<Bearer | undefined>
}

/** The directory behind its public HTTP and, in the place of token, a peer that says what a test wants. */
export async function managementFixture(options: Options = {}) {
  const { issuer, wrapDatabase, findBearer, logger, metrics, smtp, callsPerSecond } = options
  const directory = await directoryFixture()
  const network = createInProcessNetwork({ onFailure: () => undefined })
  const bearers = new Map<string, Bearer>()
  bearers.set('impersonator', {
    ...{ userId: 'bob', organizationId: 'acme', isPerson: true, roles: ['IAM_ADMIN_IMPERSONATOR'] },
    authTime: Math.floor(directory.clock.now().getTime() / 1000),
  })
  const asked: string[] = []
  const published: string[][] = []
  /** The days on which clients got their latest tokens. */
  const tokenDays = new Map<string, number>()
  let onPublish: () => Promise<void> = async () => undefined

  const peer = [
    rpcService(BearerService, {
      async authenticate({ bearer }) {
        asked.push(bearer)
        const known = bearers.get(bearer) ?? (await findBearer?.(bearer))
        if (known === undefined) throw new RpcError('UNAUTHENTICATED', 'the bearer token is not valid')
        return {
          userId: known.userId ?? 'administrator',
          kind: known.isPerson ? SubjectKind.HUMAN : SubjectKind.SERVICE_USER,
          ...(known.authTime !== undefined && {
            authTime: timestampFromDate(new Date(known.authTime * 1000)),
          }),
          act: [...(known.act ?? [])],
          organizationId: known.organizationId ?? 'elsewhere',
          tokenId: known.tokenId ?? bearer,
          roles: known.roles.map((held) => {
            const [role = '', objectId = ''] = held.split(' ')
            return { role, objectId }
          }),
        }
      },
    }),
    rpcService(RevocationService, {
      async publishEndings({ endings }) {
        await onPublish()
        published.push(endings.map(({ kind, id, value }) => `${KINDS[kind]} ${id} ${value}`).sort())
        return {}
      },
      endSession: async () => ({}),
      revokeKey: async () => ({}),
    }),
    rpcService(GrantService, {
      listGrants: async () => ({ grants: [] }),
      endGrants: async () => ({}),
      countUse: async ({ ids }) => ({
        ...{ sessions: ids.length, users: 2, applications: 3, refreshFamilies: 4, hasMore: false },
      }),
      findLastUse: async ({ clientIds }) => ({
        uses: clientIds.flatMap((clientId) => {
          const day = tokenDays.get(clientId)
          return day === undefined ? [] : [{ clientId, day }]
        }),
      }),
    }),
    rpcService(PreviewService, {
      previewTokens: async ({ userId, scopes }) => ({
        scopes,
        droppedScopes: [{ scope: 'profil', reason: 'scope_unknown' }],
        refusals: [{ reason: 'project_role_missing', projectId: 'portal' }],
        accessTokenIsJwt: true,
        accessTokenClaims: JSON.stringify({ sub: userId }),
        idTokenClaims: '{}',
        userinfoClaims: '{}',
      }),
    }),
  ]
  network.serve('token', peer)
  const time = timestampFromDate(directory.clock.now())
  const sessions = new Map([['alice', ['x1tsmRzXyvBbqSkE5SOzYQ']]])
  const endedSessions: string[] = []
  const forgotten: string[][] = []
  const login = [
    rpcService(SessionService, {
      listSessions: async ({ userId }) => ({
        sessions: (sessions.get(userId) ?? []).map((sid) => ({
          sid,
          authTime: time,
          lastUsedAt: time,
          expiresAt: time,
          amr: ['pwd'],
          ...{ browser: 'Firefox', system: 'Linux', clientAddress: '192.0.2.9' },
          clientIds: ['web', 'deleted'],
          ...(sid === 'impersonated' && {
            impersonatedBy: { administratorId: 'alice', reason: 'Ticket 4711' },
          }),
        })),
      }),
      async endSession({ userId, sid, administrator, clientAddress }) {
        if (!sessions.get(userId)?.includes(sid)) throw new RpcError('NOT_FOUND', 'no such session')
        endedSessions.push(`${userId} ${sid} by ${administrator?.userId} from ${clientAddress}`)
        return {}
      },
    }),
    rpcService(SignInService, {
      async forgetFailures({ userId, attemptKey }) {
        forgotten.push([userId, attemptKey])
        return {}
      },
      previewSignInPage: async ({ labelPolicy }) => ({ html: `<p>${labelPolicy}` }),
      explainSignIn: async () => ({ findings: [{ gate: 'admission' }], waitSeconds: 0, droppedScopes: [] }),
    }),
  ]
  network.serve('login', login)

  const service = await startDirectory({
    config: {
      ...directory.config,
      ...(issuer && { issuer }),
      smtp: smtp && { dailyLimit: 1_000, ...smtp },
      rateLimits: { management: callsPerSecond },
      clientRegistration: options.clientRegistration ?? true,
    },
    database: wrapDatabase?.(directory.owner) ?? directory.owner,
    token: network.transport('directory', 'token'),
    login: network.transport('directory', 'login'),
    logger: logger ?? silentLogger,
    mailIntervalMs: 100,
    ...(metrics && { metrics }),
    now: directory.clock.now,
    random: randomBytes,
  })
  if (service.http === undefined) throw new Error('the directory serves no HTTP')
  const listener = await listenHttp({ listener: service.http, port: 0, host: '127.0.0.1' })

  const at = (path: string) => `http://127.0.0.1:${listener.port}${path}`

  async function send(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ) {
    const url = at(/^\/(v2|management)\//.test(path) ? path : `/management/v1${path}`)
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      path: new URL(response.url).pathname,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }

  return {
    directory,
    service,
    bearers,
    /** Every bearer that token was asked about, in order. */
    asked,
    /** The epochs of each call of PublishEndings, `USER alice 1`. */
    published,
    tokenDays,
    /** The sessions that login returns, by user, in order. */
    sessions,
    /** The arguments of the calls of EndSession at login. */
    endedSessions,
    /** The user id and attempt key of each call of ForgetFailures at login. */
    forgotten,
    loginIsAway: () => network.withdraw('login'),
    loginIsBack: () => network.serve('login', login),
    /** Runs in every call of PublishEndings before it succeeds. */
    beforePublished(work: () => Promise<void>) {
      onPublish = work
    },
    tokenIsAway: () => network.withdraw('token'),
    tokenIsBack: () => network.serve('token', peer),
    at,
    /** Requests text, without authentication unless a bearer is given. */
    async open(path: string, bearer: string | null = null) {
      const response = await fetch(at(path), { headers: bearerHeader(bearer) })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    async call(
      method: string,
      path: string,
      body?: unknown,
      bearer: string | null = 'owner',
      headers: Readonly<Record<string, string>> = {},
    ) {
      const answer = await send(method, path, body, { ...headers, ...bearerHeader(bearer) })
      // Every answer of every test is what openapi.json says.
      const problems = contract.answerProblems({ ...answer, method })
      if (problems.length > 0) throw new Error(problems.join('; '))
      return answer
    },
    /** The same for what no document promises. */
    broken: (
      method: string,
      path: string,
      body: unknown,
      headers: Readonly<Record<string, string>>,
      bearer = 'owner',
    ) => send(method, path, body, { ...headers, ...bearerHeader(bearer) }),
    async stop() {
      await listener.close(0)
      await service.stop()
      await directory.stop()
    },
  }
}

function bearerHeader(bearer: string | null): Readonly<Record<string, string>> {
  return bearer === null ? {} : { authorization: `Bearer ${bearer}` }
}

export type ManagementFixture = Awaited<ReturnType<typeof managementFixture>>
