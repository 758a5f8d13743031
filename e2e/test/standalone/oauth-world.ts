import { randomUUID } from 'node:crypto'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { BootstrapFileInput } from '@signet/directory/bootstrap'
import { rpcClient } from '@signet/grpc/client'
import { AuthorizationService } from '@signet/grpc/gen/token/v1/authorization_service_pb'
import { BearerService } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { ADMIN_TOKEN, REDIRECT_URI, SECRET } from './oauth-directory.ts'
import { type RunningSuiteOptions, runSuite } from './running-suite.ts'

export const ISSUER = 'https://id.example.com'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly json: Readonly<Record<string, unknown>>
}

export interface AuthorizedSession {
  readonly clientId?: string
  readonly userId?: string
  readonly organizationId?: string
  readonly scope?: string
  readonly sid?: string
  readonly nonce?: string
  readonly claims?: string
  readonly acr?: string
  readonly amr?: readonly string[]
  /** Of the user when the session began. */
  readonly epoch?: number
}

export type Credentials =
  | { readonly basic: string; readonly secret?: string }
  | { readonly form: Readonly<Record<string, string>> }

export type OAuthWorld = Awaited<ReturnType<typeof startOAuthWorld>>

/** One suite in this process over a directory, with the calls that `login`, clients and resource servers make. */
export async function startOAuthWorld(
  document: BootstrapFileInput,
  { now = () => new Date(), rateLimits = {} }: Pick<RunningSuiteOptions, 'now' | 'rateLimits'> = {},
) {
  const { suite, base, database, close } = await runSuite({ document, issuer: ISSUER, now, rateLimits })
  const keySet = createRemoteJWKSet(new URL(`${base}/oauth/v2/keys`))
  const asLogin = suite.network.transport('login', 'token')
  const authorization = rpcClient(AuthorizationService, asLogin)
  const revocation = rpcClient(RevocationService, asLogin)
  const bearers = rpcClient(BearerService, suite.network.transport('directory', 'token'))
  const keyRevocation = rpcClient(RevocationService, suite.network.transport('keys', 'token'))

  async function call(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(base + path, { redirect: 'manual', ...init })
    const text = await response.text()
    const isJson =
      response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
    return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : {} }
  }

  async function post(path: string, form: Record<string, string>, from?: Credentials): Promise<Answer> {
    const own = from !== undefined && 'form' in from ? from.form : {}
    const authorizationHeader = from !== undefined && 'basic' in from ? basic(from) : {}
    return call(path, {
      method: 'POST',
      headers: authorizationHeader,
      body: new URLSearchParams({ ...form, ...own }),
    })
  }

  const authorized = (session: AuthorizedSession) => {
    const {
      clientId = 'web',
      userId = 'alice',
      organizationId = 'acme',
      scope = 'openid',
      claims,
      acr,
    } = session
    return {
      clientId,
      redirectUri: REDIRECT_URI,
      scopes: scope.split(' '),
      ...(claims !== undefined && { claims }),
      ...(acr !== undefined && { acr }),
      session: {
        sid: session.sid ?? randomUUID(),
        userId,
        organizationId,
        authTime: timestampFromDate(now()),
        amr: [...(session.amr ?? ['pwd'])],
        userEpoch: BigInt(session.epoch ?? 0),
        organizationEpoch: 0n,
      },
    }
  }

  const token = (form: Record<string, string>, from: Credentials = { basic: 'web' }) =>
    post('/oauth/v2/token', form, from)

  return {
    base,
    database,
    suite,
    call,
    post,
    token,
    async code(session: AuthorizedSession = {}): Promise<string> {
      const { nonce } = session
      const request = { ...authorized(session), ...(nonce !== undefined && { nonce }) }
      return (await authorization.issueCode(request, { timeoutMs: 5_000 })).code
    },
    async implicit(session: AuthorizedSession & { withAccessToken: boolean }) {
      const { withAccessToken, nonce = 'n-1' } = session
      const request = { ...authorized(session), nonce, withAccessToken }
      return authorization.issueImplicit(request, { timeoutMs: 5_000 })
    },
    /** Signs in and redeems the code. */
    async tokens(session: AuthorizedSession = {}, from?: Credentials): Promise<Answer> {
      const credentials = from ?? { basic: session.clientId ?? 'web' }
      const code = await this.code(session)
      return token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }, credentials)
    },
    refresh: (refreshToken: unknown, form: Record<string, string> = {}, from?: Credentials) =>
      token({ grant_type: 'refresh_token', refresh_token: String(refreshToken), ...form }, from),
    introspect: (value: unknown, from: Credentials = { basic: 'api' }) =>
      post('/oauth/v2/introspect', { token: String(value) }, from),
    userinfo: (value: unknown) =>
      call('/oidc/v1/userinfo', { headers: { authorization: `Bearer ${String(value)}` } }),
    revoke: (value: unknown, from: Credentials = { basic: 'web' }) =>
      post('/oauth/v2/revoke', { token: String(value) }, from),
    async logout(sid: string, userId = 'alice', clientAddress = ''): Promise<void> {
      await revocation.endSession({ sessions: [{ sid, userId }], clientAddress }, { timeoutMs: 5_000 })
    },
    async epochOf(userId: string): Promise<number> {
      const { rows } = await database.query<{ token_epoch: number }>({
        name: 'test.epoch',
        text: 'SELECT token_epoch FROM directory.account WHERE user_id = $1',
        values: [userId],
      })
      return rows[0]?.token_epoch ?? 0
    },
    async revokeKey(kid: string): Promise<void> {
      await keyRevocation.revokeKey({ kid }, { timeoutMs: 5_000 })
    },
    bearer: (value: unknown) => bearers.authenticate({ bearer: String(value) }, { timeoutMs: 5_000 }),
    manage: (method: string, path: string, body?: unknown) =>
      call(path, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    /** Verifies a JWT of the suite against its published keys, as an independent client does. */
    async verify(jwt: unknown, typ = 'JWT'): Promise<JWTPayload> {
      const { payload } = await jwtVerify(String(jwt), keySet, { issuer: ISSUER, typ, currentDate: now() })
      return payload
    },
    close,
  }
}

function basic({ basic: clientId, secret = SECRET }: { basic: string; secret?: string }) {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` }
}
