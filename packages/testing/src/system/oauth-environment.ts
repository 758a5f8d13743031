import { randomUUID } from 'node:crypto'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { rpcClient } from '@signet/grpc/client'
import { AuthorizationService } from '@signet/grpc/gen/token/v1/authorization_service_pb'
import { BearerService } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { RevocationService } from '@signet/grpc/gen/token/v1/revocation_service_pb'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import type { InProcessReplica, InProcessSystem } from './in-process-system.ts'
import { ADMIN_TOKEN, oauthDirectory, REDIRECT_URI, SECRET } from './oauth-directory.ts'
import { type Answer, fetchAnswer } from './test-system.ts'

/** Not the address that the services listen on. */
export const ISSUER = 'https://id.example.com'

/** Options of `startSystem` for these tests. */
export const OAUTH_SYSTEM = { mode: 'in-process', issuer: ISSUER, document: oauthDirectory() } as const

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
  readonly dpopJkt?: string
  /** Epoch of the user when the session began. */
  readonly epoch?: number
}

export type Credentials =
  | { readonly basic: string; readonly secret?: string }
  | { readonly form: Readonly<Record<string, string>> }

export type OAuthEnvironment = ReturnType<typeof createOAuthEnvironment>

/** The same for every replica. */
export function createOAuthEnvironments(system: InProcessSystem): readonly OAuthEnvironment[] {
  return system.replicas.map((replica) => createOAuthEnvironment(system, replica))
}

/**
 * The calls of `login`, clients and resource servers to a replica. Codes come from `token` as for a user who signed in, so
 * that a test needs no browser and chooses session, claims and authentication methods.
 */
export function createOAuthEnvironment(
  system: InProcessSystem,
  { base, network }: InProcessReplica = system.replicas[0] as InProcessReplica,
) {
  const { clock, database } = system
  const keySet = createRemoteJWKSet(new URL(`${base}/oauth/v2/keys`))
  const asLogin = network.transport('login', 'token')
  const authorization = rpcClient(AuthorizationService, asLogin)
  const revocation = rpcClient(RevocationService, asLogin)
  const bearers = rpcClient(BearerService, network.transport('directory', 'token'))
  const keyRevocation = rpcClient(RevocationService, network.transport('keys', 'token'))

  const call = (path: string, init?: RequestInit) => fetchAnswer(base + path, init)

  async function post(
    path: string,
    form: Record<string, string>,
    from?: Credentials,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const own = from !== undefined && 'form' in from ? from.form : {}
    const authorizationHeader = from !== undefined && 'basic' in from ? basic(from) : {}
    return call(path, {
      method: 'POST',
      headers: { ...authorizationHeader, ...headers },
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
        authTime: timestampFromDate(clock.now()),
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
    network,
    system,
    call,
    post,
    token,
    async code(session: AuthorizedSession = {}): Promise<string> {
      const { nonce, dpopJkt } = session
      const request = {
        ...authorized(session),
        ...(nonce !== undefined && { nonce }),
        ...(dpopJkt !== undefined && { dpopJkt }),
      }
      return (await authorization.issueCode(request, { timeoutMs: 5_000 })).code
    },
    async implicit(session: AuthorizedSession & { withAccessToken: boolean }) {
      const { withAccessToken, nonce = 'n-1' } = session
      const request = { ...authorized(session), nonce, withAccessToken }
      return authorization.issueImplicit(request, { timeoutMs: 5_000 })
    },
    redeem: (code: string, from: Credentials = { basic: 'web' }) =>
      token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }, from),
    async isActive(value: unknown): Promise<boolean> {
      return (await this.introspect(value)).json.active === true
    },
    /** Signs in and redeems the code. */
    async tokens(session: AuthorizedSession = {}, from?: Credentials): Promise<Answer> {
      const credentials = from ?? { basic: session.clientId ?? 'web' }
      return this.redeem(await this.code(session), credentials)
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
    /** Calls an API as the administrator, or with another bearer. */
    manage: (method: string, path: string, body?: unknown, bearer = ADMIN_TOKEN) =>
      call(path, {
        method,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    /** Verifies a JWT against its published keys, as an independent client does. */
    async verify(jwt: unknown, typ = 'JWT'): Promise<JWTPayload> {
      const { payload } = await jwtVerify(String(jwt), keySet, {
        issuer: ISSUER,
        typ,
        currentDate: clock.now(),
      })
      return payload
    },
    stop: () => system.stop(),
  }
}

function basic({ basic: clientId, secret = SECRET }: { basic: string; secret?: string }) {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` }
}
