import { randomUUID } from 'node:crypto'
import { rpcClient } from '@signet/grpc/client'
import { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import { MACHINE_KEY, ROBOT_TOKEN, SECRET } from '@signet/testing/system/oauth-directory'
import {
  type AuthorizedSession,
  type Credentials,
  createOAuthEnvironment,
  ISSUER,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const T = 'urn:ietf:params:oauth:token-type:'
const ACCESS = `${T}access_token`
const REFRESH = `${T}refresh_token`
const ID = `${T}id_token`
const JWT = `${T}jwt`
const USER_ID = 'urn:service:params:oauth:token-type:user_id'
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const EXCHANGER: Credentials = { basic: 'exchanger' }

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
}, 60_000)
afterAll(() => oauth?.stop())

const exchange = (form: Record<string, string>, from: Credentials = EXCHANGER) =>
  oauth.token({ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', ...form }, from)

/** The tokens of a fresh sign-in at the exchanging application. */
const signIn = async (session: AuthorizedSession = {}) =>
  (await oauth.tokens({ clientId: 'exchanger', scope: 'openid profile offline_access', ...session })).json

/** Asks for a refresh family; nothing but asking begins one. */
const OFFLINE = { scope: 'openid profile offline_access' }

/** The tokens of a sign-in at the public application. */
const signInPublic = async (session: AuthorizedSession = {}) => {
  const from = { form: { client_id: 'exchanger-public' } }
  const scope = 'openid profile offline_access'
  return (await oauth.tokens({ clientId: 'exchanger-public', scope, ...session }, from)).json
}

const subjectOf = (token: unknown, type = ACCESS) => ({
  subject_token: String(token),
  subject_token_type: type,
})
const actorOf = (token: unknown, type = ACCESS) => ({ actor_token: String(token), actor_token_type: type })
const actor = (sub: string, act?: object) => ({ iss: ISSUER, sub, ...(act && { act }) })

async function clientJwt(clientId: string, sub: string): Promise<string> {
  return new SignJWT({ jti: randomUUID() })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuer(clientId)
    .setSubject(sub)
    .setAudience(ISSUER)
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(MACHINE_KEY.privateKey)
}
const keyed = async (): Promise<Credentials> => ({
  form: {
    client_assertion_type: ASSERTION,
    client_assertion: await clientJwt('exchanger-keyed', 'exchanger-keyed'),
  },
})

async function switchTo(feature: boolean, impersonation: boolean): Promise<void> {
  const set = await oauth.manage('PUT', '/v2/features/instance', { oidcTokenExchange: feature })
  expect(set.status).toBe(200)
  const policy = await oauth.manage('PUT', '/v2/policies/security', { enableImpersonation: impersonation })
  expect(policy.status).toBe(200)
}

describe('the feature', () => {
  it('is off at first, and the error names the feature [F-30] [token.exchange.feature]', async () => {
    const { access_token } = await signIn()
    const answer = await exchange(subjectOf(access_token))
    expect([answer.status, answer.json.error]).toEqual([400, 'invalid_request'])
    expect(answer.json.error_description).toContain('oidcTokenExchange')
    await switchTo(true, false)
    await expect.poll(async () => (await exchange(subjectOf(access_token))).status).toBe(200)
  })

  it('rejects impersonation until the security policy allows it, also for an IAM_ADMIN_IMPERSONATOR', async () => {
    const { access_token } = await signIn({ userId: 'root' })
    const form = { ...subjectOf('alice', USER_ID), ...actorOf(access_token) }
    const answer = await exchange(form)
    expect([answer.status, answer.json.error]).toEqual([400, 'invalid_request'])
    expect(answer.json.error_description).toContain('impersonation')
    await switchTo(true, true)
    await expect.poll(async () => (await exchange(form)).status).toBe(200)
  })

  it('is only for applications with the grant type', async () => {
    const { json } = await oauth.tokens()
    expect((await exchange(subjectOf(json.access_token), { basic: 'web' })).json.error).toBe(
      'unauthorized_client',
    )
  })
})

describe('the response of a token exchange', () => {
  it('exactly these members for an access token without openid [token.exchange.grant_type] [token.exchange.subject_token] [token.exchange.response] [token-response.issued_token_type]', async () => {
    const { access_token } = await signIn()
    const answer = await exchange({ ...subjectOf(access_token), scope: 'profile' })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^sgat_/),
      issued_token_type: ACCESS,
      token_type: 'Bearer',
      expires_in: expect.toSatisfy((seconds: number) => seconds > 3500 && seconds <= 3600),
      scope: 'profile',
    })
    expect((await oauth.introspect(answer.json.access_token)).json).toMatchObject({
      active: true,
      sub: 'alice',
      client_id: 'exchanger',
      aud: ['exchanger', 'portal'],
      scope: 'profile',
      amr: ['pwd'],
    })
  })

  it('id_token with openid, refresh_token with offline_access; scope but offline_access and audience default to the subject [token.exchange.response.id_token] [token.exchange.response.refresh_token]', async () => {
    const { access_token } = await signIn()
    const plain = (await exchange(subjectOf(access_token))).json
    expect(plain).toMatchObject({ scope: 'openid profile', id_token: expect.any(String) })
    expect(plain).not.toHaveProperty('refresh_token')
    const { json } = await exchange({ ...subjectOf(access_token), ...OFFLINE })
    expect(json).toMatchObject({
      scope: 'openid profile offline_access',
      id_token: expect.any(String),
      refresh_token: expect.stringMatching(/^sgrt_/),
    })
    const idToken = await oauth.verify(json.id_token)
    expect(idToken).toMatchObject({ sub: 'alice', aud: 'exchanger', at_hash: expect.any(String) })
    expect(idToken).not.toHaveProperty('act')
  })

  it('requested jwt: an access token as JWT, and its refresh makes JWTs too [token.exchange.requested_token_type] [token-response.issued_token_type]', async () => {
    const { access_token } = await signIn()
    const { json } = await exchange({ ...subjectOf(access_token), ...OFFLINE, requested_token_type: JWT })
    expect(json).toMatchObject({ issued_token_type: JWT, token_type: 'Bearer' })
    expect(await oauth.verify(json.access_token, 'at+jwt')).toMatchObject({ sub: 'alice' })
    const refreshed = await oauth.refresh(json.refresh_token, {}, EXCHANGER)
    expect(await oauth.verify(refreshed.json.access_token, 'at+jwt')).toMatchObject({ sub: 'alice' })
  })

  it('requested id_token: an ID token with N_A, and no other [token-response.token_type] [token.exchange.requested_token_type]', async () => {
    const { access_token } = await signIn()
    const { json } = await exchange({
      ...subjectOf(access_token),
      requested_token_type: ID,
      scope: 'openid profile',
    })
    expect(json).toEqual({
      access_token: expect.any(String),
      issued_token_type: ID,
      token_type: 'N_A',
      expires_in: expect.toSatisfy((seconds: number) => seconds > 3500 && seconds <= 3600),
      scope: 'openid profile',
    })
    expect(await oauth.verify(json.access_token)).toMatchObject({ sub: 'alice', name: 'Alice Example' })
    expect((await oauth.introspect(json.access_token)).json).toEqual({ active: false })
  })

  it.each<[string, () => Promise<Credentials> | Credentials, string]>([
    ['client_secret_basic', () => EXCHANGER, 'exchanger'],
    [
      'client_secret_post',
      () => ({ form: { client_id: 'exchanger-post', client_secret: SECRET } }),
      'exchanger-post',
    ],
    ['none', () => ({ form: { client_id: 'exchanger-public' } }), 'exchanger-public'],
    ['private_key_jwt', keyed, 'exchanger-keyed'],
  ])('a client may authenticate with %s [token.exchange.methods]', async (_, from, clientId) => {
    // A public client exchanges only its own tokens.
    const signedIn = clientId === 'exchanger-public' ? await signInPublic() : await signIn()
    const { json } = await exchange({ ...subjectOf(signedIn.access_token), scope: 'profile' }, await from())
    expect((await oauth.introspect(json.access_token)).json).toMatchObject({ client_id: clientId })
  })
})

describe('token type matrix', () => {
  const EXAMPLES: Record<string, (sub: string) => Promise<string>> = {
    'opaque access token': async (userId) => String((await signIn({ userId })).access_token),
    'JWT access token': async (userId) =>
      String((await oauth.tokens({ clientId: 'jwt', userId })).json.access_token),
    'ID token': async (userId) => String((await signIn({ userId })).id_token),
    'refresh token': async (userId) => String((await signIn({ userId })).refresh_token),
    'client JWT': (userId) => clientJwt('exchanger-keyed', userId),
    'user id': async (userId) => userId,
  }
  const example = (name: string, userId: string) =>
    EXAMPLES[name]?.(userId) ?? Promise.reject(new Error(name))

  it.each([
    ['opaque access token', ACCESS, true, true],
    ['JWT access token', ACCESS, true, true],
    ['ID token', ID, true, true],
    ['refresh token', REFRESH, false, false],
    ['client JWT', JWT, false, true],
    ['user id', USER_ID, false, true],
    ['user id', 'urn:zitadel:params:oauth:token-type:user_id', false, true],
    ['user id', 'urn:example:token-type:other', false, false],
  ])(
    'subject: %s as %s: alone %s, with an actor %s [token.exchange.type.*]',
    async (name, type, alone, withActor) => {
      // The ID token has to be the calling client's, the JWT be signed by it.
      const from = name === 'client JWT' ? keyed : () => EXCHANGER
      const subject = subjectOf(await example(name, 'alice'), type)
      const without = await exchange(subject, await from())
      expect([without.status, without.json.error]).toEqual(
        alone ? [200, undefined] : [400, 'invalid_request'],
      )
      const helper = await signIn({ userId: 'helper' })
      const beside = await exchange({ ...subject, ...actorOf(helper.access_token) }, await from())
      expect([beside.status, beside.json.error]).toEqual(
        withActor ? [200, undefined] : [400, 'invalid_request'],
      )
      if (withActor) {
        expect((await oauth.introspect(beside.json.access_token, EXCHANGER)).json).toMatchObject({
          active: true,
          sub: 'alice',
          act: actor('helper'),
        })
      }
    },
  )

  it.each([
    ['opaque access token', ACCESS, true],
    ['JWT access token', ACCESS, true],
    ['ID token', ID, true],
    ['refresh token', REFRESH, false],
    ['client JWT', JWT, false],
    ['user id', USER_ID, false],
  ])('actor: %s as %s: %s [token.exchange.type.*]', async (name, type, allowed) => {
    const { access_token } = await signIn()
    const answer = await exchange({
      ...subjectOf(access_token),
      ...actorOf(await example(name, 'helper'), type),
    })
    expect([answer.status, answer.json.error]).toEqual(allowed ? [200, undefined] : [400, 'invalid_request'])
  })

  it.each([
    [ACCESS, true],
    [JWT, true],
    [ID, true],
    [REFRESH, false],
    [USER_ID, false],
    ['urn:example:token-type:other', false],
  ])('requested: %s: %s [token.exchange.type.*]', async (type, allowed) => {
    const { access_token } = await signIn()
    const answer = await exchange({ ...subjectOf(access_token), requested_token_type: type })
    expect([answer.status, answer.json.error]).toEqual(allowed ? [200, undefined] : [400, 'invalid_request'])
  })

  it('requested access_token is opaque even for an application that has JWTs elsewhere [token.exchange.requested_token_type]', async () => {
    const { json } = await oauth.tokens({ clientId: 'jwt' })
    expect((await exchange(subjectOf(json.access_token))).json.access_token).toMatch(/^sgat_/)
  })

  it.each<[string, () => Promise<Record<string, string>>]>([
    ['no subject_token', async () => ({ subject_token_type: ACCESS })],
    ['no subject_token_type', async () => ({ subject_token: 'x' })],
    [
      'an actor without its type',
      async () => ({ ...subjectOf((await signIn()).access_token), actor_token: 'x' }),
    ],
    [
      'a type without its actor',
      async () => ({ ...subjectOf((await signIn()).access_token), actor_token_type: ACCESS }),
    ],
    ['garbage', async () => subjectOf('garbage')],
    [
      'an unknown user',
      async () => ({
        ...subjectOf('nobody', USER_ID),
        ...actorOf((await signIn({ userId: 'helper' })).access_token),
      }),
    ],
    ['an ID token as an access token', async () => subjectOf((await signIn()).id_token)],
    ['an access token as an ID token', async () => subjectOf((await signIn()).access_token, ID)],
    ['an ID token of another client', async () => subjectOf((await oauth.tokens()).json.id_token, ID)],
    [
      'a token of an application without a user',
      async () =>
        subjectOf(
          (await oauth.token({ grant_type: 'client_credentials' }, { basic: 'backend' })).json.access_token,
        ),
    ],
  ])(
    '%s is invalid_request [F-30] [token.exchange.subject_token] [token.exchange.subject_token_type] [token.exchange.actor_token_type]',
    async (_, form) => {
      const answer = await exchange(await form())
      expect([answer.status, answer.json.error]).toEqual([400, 'invalid_request'])
    },
  )
})

describe('scope and audience [F-30]', () => {
  it.each([
    ['scope beyond the tokens', { scope: 'openid email' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['an audience beyond the tokens', { audience: 'web' }, 'invalid_target'],
    ['one audience of two', { audience: 'portal web' }, 'invalid_target'],
    ['a resource', { resource: 'https://api.example.com' }, 'invalid_target'],
  ])(
    '%s is refused [token.exchange.scope] [token.exchange.audience] [token.exchange.resource]',
    async (_, change, error) => {
      const { access_token } = await signIn()
      const answer = await exchange({ ...subjectOf(access_token), ...change })
      expect([answer.status, answer.json.error]).toEqual([400, error])
    },
  )

  it('an audience may be narrowed; then only those may introspect [token.exchange.audience]', async () => {
    const scope = 'openid urn:service:iam:org:project:id:asserted:aud'
    const { access_token } = await signIn({ scope })
    const { json } = await exchange({ ...subjectOf(access_token), scope: 'openid', audience: 'asserted' })
    expect((await oauth.introspect(json.access_token, { basic: 'api-asserted' })).json).toMatchObject({
      active: true,
      aud: ['asserted'],
    })
    expect((await oauth.introspect(json.access_token)).json).toEqual({ active: false })
  })

  it('scopes and audiences of the actor count too [token.exchange.scope] [token.exchange.audience] [token.exchange.actor_token]', async () => {
    const subject = await signIn({ scope: 'openid' })
    const scope = 'openid email urn:service:iam:org:project:id:shop:aud'
    const helper = await signIn({ userId: 'helper', scope })
    const { json } = await exchange({
      ...subjectOf(subject.access_token),
      ...actorOf(helper.access_token),
      scope: 'openid email',
      audience: 'shop',
    })
    expect((await oauth.introspect(json.access_token, { basic: 'api-shop' })).json).toMatchObject({
      active: true,
      email: 'alice@acme.localhost',
    })
  })

  it('audience may be repeated, and no other parameter (RFC 8693 section 2.1)', async () => {
    const scope = 'openid urn:service:iam:org:project:id:asserted:aud'
    const { access_token } = await signIn({ scope })
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      ...subjectOf(access_token),
      scope: 'openid',
    })
    const send = (...more: [string, string][]) => {
      const body = new URLSearchParams([...form, ...more])
      const credentials = Buffer.from(`exchanger:${SECRET}`).toString('base64')
      return oauth.call('/oauth/v2/token', {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body,
      })
    }
    const { json } = await send(['audience', 'asserted'], ['audience', 'portal'])
    expect((await oauth.introspect(json.access_token)).json).toMatchObject({ aud: ['asserted', 'portal'] })
    expect((await send(['audience', 'asserted'], ['audience', 'web'])).json.error).toBe('invalid_target')
    expect((await send(['scope', 'openid'])).json.error).toBe('invalid_request')
  })

  it('an ID token has the scopes of the claims that it contains', async () => {
    const { id_token } = await signIn({ scope: 'openid profile' })
    const subject = subjectOf(id_token, ID)
    expect((await exchange({ ...subject, scope: 'openid' })).json.scope).toBe('openid')
    expect((await exchange({ ...subject, scope: 'openid profile' })).json.error).toBe('invalid_scope')
  })

  it('a personal access token counts as every known scope, for the application, and for the API where it is marked', async () => {
    const { json } = await exchange({
      ...subjectOf(ROBOT_TOKEN),
      scope: 'openid email',
    })
    expect((await oauth.introspect(json.access_token)).json).toMatchObject({ aud: ['exchanger', 'portal'] })
    for (const audience of ['shop', 'signet']) {
      const other = await exchange({ ...subjectOf(ROBOT_TOKEN), audience })
      expect(other.json.error).toBe('invalid_target')
    }
    const marked = await exchange(
      { ...subjectOf(ROBOT_TOKEN), audience: 'signet' },
      { basic: 'exchanger-api' },
    )
    expect(await oauth.bearer(marked.json.access_token)).toMatchObject({ userId: 'robot' })
  })
})

describe('impersonation', () => {
  it('is on record with the client and the token that was made', async () => {
    const { access_token } = await signIn({ userId: 'helper' })
    const { json } = await exchange({
      ...subjectOf('alice', USER_ID),
      ...actorOf(access_token),
      scope: 'openid',
      requested_token_type: JWT,
    })
    const text = `SELECT actor_id, target_id, details - 'request_id' AS details FROM grants_read.audit_event_v1 WHERE action = 'impersonation'
                   ORDER BY at DESC LIMIT 1`
    expect((await oauth.database.query({ name: '', text })).rows).toEqual([
      {
        actor_id: 'helper',
        target_id: 'alice',
        details: { client_id: 'exchanger', token_id: (await oauth.verify(json.access_token, 'at+jwt')).jti },
      },
    ])
  })

  const impersonate = async (userId: string, subject: string, more = {}) => {
    const { access_token } = await signIn({ userId })
    return exchange({ ...subjectOf(subject, USER_ID), ...actorOf(access_token), ...more })
  }

  it.each([
    ['helper', 'alice', true],
    ['helper', 'carol', true],
    ['helper', 'boss', false],
    ['root', 'alice', true],
    ['root', 'boss', true],
    ['root', 'carol', true],
    ['org-helper', 'alice', true],
    ['org-helper', 'boss', false],
    ['org-helper', 'carol', false],
    ['org-root', 'boss', true],
    ['org-root', 'owner', false],
    ['org-root', 'helper', false],
    ['root', 'owner', true],
    ['helper', 'owner', false],
    ['org-root', 'carol', false],
    ['boss', 'alice', false],
    ['alice', 'bob', false],
  ])('%s as %s: %s', async (userId, subject, allowed) => {
    const answer = await impersonate(userId, subject)
    expect([answer.status, answer.json.error]).toEqual(allowed ? [200, undefined] : [400, 'invalid_request'])
    if (!allowed) expect(answer.json.error_description).toContain('permission denied')
  })

  it('a personal access token may act; the ID token names its owner as actor', async () => {
    const { json } = await exchange({
      ...subjectOf('alice', USER_ID),
      ...actorOf(ROBOT_TOKEN),
      scope: 'openid profile',
    })
    expect(await oauth.verify(json.id_token)).toMatchObject({ sub: 'alice', act: actor('robot') })
    expect((await oauth.userinfo(json.access_token)).json).toMatchObject({
      sub: 'alice',
      name: 'Alice Example',
    })
  })

  it('RFC 8693 section 4.1: chains grow, and stay through an exchange without an actor and through refreshes [token.exchange.purpose] [token.exchange.actor_token]', async () => {
    const first = await impersonate('helper', 'alice', OFFLINE)
    const root = await signIn({ userId: 'root' })
    const second = await exchange({
      ...subjectOf(first.json.access_token),
      ...actorOf(root.access_token),
      ...OFFLINE,
      requested_token_type: JWT,
    })
    const chain = actor('root', actor('helper'))
    expect(await oauth.verify(second.json.access_token, 'at+jwt')).toMatchObject({ sub: 'alice', act: chain })
    const third = await exchange({ ...subjectOf(second.json.access_token), ...OFFLINE })
    const refreshed = await oauth.refresh(third.json.refresh_token, {}, EXCHANGER)
    for (const { json } of [third, refreshed]) {
      expect((await oauth.introspect(json.access_token)).json).toMatchObject({ act: chain })
      expect(await oauth.verify(json.id_token)).toMatchObject({ act: chain })
    }
  })

  it('auth_time and amr are those of the actor', async () => {
    const subject = await signIn({ amr: ['pwd'] })
    const helper = await signIn({ userId: 'helper', amr: ['pwd', 'otp', 'mfa'] })
    const { json } = await exchange({ ...subjectOf(subject.access_token), ...actorOf(helper.access_token) })
    expect((await oauth.introspect(json.access_token)).json.amr).toEqual(['pwd', 'otp', 'mfa'])
  })
})

describe('an exchanged token ends with its subject and with its actor', () => {
  type Side = Awaited<ReturnType<typeof signIn>> & { sid: string; userId: string }
  const endings: [string, (side: Side) => Promise<unknown>][] = [
    ['revoking the access token', ({ access_token }) => oauth.revoke(access_token, EXCHANGER)],
    ['logout', ({ sid, userId }) => oauth.logout(sid, userId)],
    ['the end of its refresh family', ({ refresh_token }) => oauth.revoke(refresh_token, EXCHANGER)],
    ['sign-out everywhere', ({ userId }) => oauth.manage('POST', `/management/v1/users/${userId}/sign-out`)],
  ]
  const sides = ['subject', 'actor'] as const

  it.each(endings.flatMap(([name, end]) => sides.map((side) => [name, side, end] as const)))(
    '%s of the %s',
    async (_, which, end) => {
      const side = async (userId: string): Promise<Side> => {
        const sid = randomUUID()
        return { ...(await signIn({ userId, sid, epoch: await oauth.epochOf(userId) })), sid, userId }
      }
      const both = { subject: await side('bob'), actor: await side('helper') }
      const { json } = await exchange({
        ...subjectOf(both.subject.access_token),
        ...actorOf(both.actor.access_token),
        ...OFFLINE,
      })
      const again = await exchange({ ...subjectOf(json.access_token), ...OFFLINE })
      const refreshed = await oauth.refresh(json.refresh_token, {}, EXCHANGER)
      expect([json.access_token, again.status, refreshed.status]).toEqual([expect.any(String), 200, 200])
      await end(both[which])
      for (const token of [json.access_token, again.json.access_token, refreshed.json.access_token]) {
        expect((await oauth.introspect(token)).json).toEqual({ active: false })
      }
      for (const token of [again.json.refresh_token, refreshed.json.refresh_token]) {
        const answer = await oauth.refresh(token, {}, EXCHANGER)
        expect([answer.status, answer.json.error]).toEqual([400, 'invalid_grant'])
      }
      expect((await exchange(subjectOf(json.access_token))).json.error).toBe('invalid_request')
    },
  )

  it('an ID token cannot be exchanged once its session or its user has ended', async () => {
    const epoch = await oauth.epochOf('bob')
    const [one, two] = await Promise.all(
      ['sid-id-1', 'sid-id-2'].map((sid) => signIn({ userId: 'bob', sid, epoch })),
    )
    expect((await exchange(subjectOf(one?.id_token, ID))).status).toBe(200)
    await oauth.logout('sid-id-1', 'bob')
    expect((await exchange(subjectOf(one?.id_token, ID))).json.error).toBe('invalid_request')
    expect((await exchange(subjectOf(two?.id_token, ID))).status).toBe(200)
    await oauth.manage('POST', '/management/v1/users/bob/sign-out')
    expect((await exchange(subjectOf(two?.id_token, ID))).json.error).toBe('invalid_request')
  })

  it('an ID token counts no more, and neither does its exchanged token, once the person ended the access of the application', async () => {
    const userId = 'boss'
    const { id_token } = await signIn({ userId, epoch: await oauth.epochOf(userId) })
    const subject = subjectOf(id_token, ID)
    const { json } = await exchange(subject)
    const again = await exchange(subjectOf(json.access_token))
    expect((await oauth.introspect(again.json.access_token, EXCHANGER)).json.active).toBe(true)
    const grants = rpcClient(GrantService, oauth.network.transport('login', 'token'))
    await grants.endGrants({ userId, clientId: 'exchanger', clientAddress: '' }, { timeoutMs: 5_000 })
    for (const one of [json, again.json])
      expect((await oauth.introspect(one.access_token, EXCHANGER)).json).toEqual({ active: false })
    expect((await exchange(subject)).json.error).toBe('invalid_request')
  })
})
