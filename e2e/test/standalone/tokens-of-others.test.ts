import { oauthDirectory, ROBOT_TOKEN } from '@signet/testing/system/oauth-directory'
import {
  type Credentials,
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const TYPE = 'urn:ietf:params:oauth:token-type:'
const API_AUDIENCE = 'urn:service:iam:org:project:id:signet:aud'

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(
    await startSystem({
      ...OAUTH_SYSTEM,
      document: { ...oauthDirectory(), features: { oidcTokenExchange: true } },
    }),
  )
}, 60_000)
afterAll(() => oauth?.stop())

/** A client, as far as the rules look at it. */
interface Asker {
  readonly clientId: string
  readonly projectId: string
  readonly organizationId: string
  readonly from: Credentials
  readonly isPublic?: true
  readonly mayExchange?: true
}

const ASKERS: readonly Asker[] = [
  { clientId: 'exchanger', projectId: 'portal', organizationId: 'acme', mayExchange: true },
  { clientId: 'exchanger-api', projectId: 'portal', organizationId: 'acme', mayExchange: true },
  {
    clientId: 'exchanger-public',
    projectId: 'portal',
    organizationId: 'acme',
    isPublic: true,
    mayExchange: true,
  } as const,
  { clientId: 'web', projectId: 'portal', organizationId: 'acme' },
  { clientId: 'asserted', projectId: 'asserted', organizationId: 'acme' },
  { clientId: 'foreign', projectId: 'closed', organizationId: 'beta', mayExchange: true } as const,
  { clientId: 'api-shop', projectId: 'shop', organizationId: 'beta' },
].map((asker) => ({
  ...asker,
  from: 'isPublic' in asker ? { form: { client_id: asker.clientId } } : { basic: asker.clientId },
})) as readonly Asker[]

type Form = 'access' | 'refresh' | 'id' | 'personal'

/** A token, as far as the rules look at it, and how its holder gets one. */
interface Held {
  readonly form: Form
  readonly clientId: string
  readonly audience: readonly string[]
  readonly isForApi?: true
  readonly get: () => Promise<unknown>
}

const signIn = async (clientId: string, scope = 'openid offline_access') =>
  (await oauth.tokens({ clientId, scope })).json
const portal = (clientId: string) => ({ clientId, audience: [clientId, 'portal'] })

const HELD: Readonly<Record<string, Held>> = {
  'opaque access token': {
    form: 'access',
    ...portal('exchanger'),
    get: async () => (await signIn('exchanger')).access_token,
  },
  'JWT access token': {
    form: 'access',
    ...portal('jwt'),
    get: async () => (await signIn('jwt')).access_token,
  },
  'access token for the API': {
    form: 'access',
    ...portal('console'),
    isForApi: true,
    get: async () => (await signIn('console', `openid ${API_AUDIENCE}`)).access_token,
  },
  'access token of another organization': {
    form: 'access',
    clientId: 'foreign',
    audience: ['foreign', 'closed'],
    get: async () => (await signIn('foreign')).access_token,
  },
  'refresh token': {
    form: 'refresh',
    ...portal('exchanger'),
    get: async () => (await signIn('exchanger')).refresh_token,
  },
  'ID token': {
    form: 'id',
    clientId: 'exchanger',
    audience: ['exchanger'],
    get: async () => (await signIn('exchanger')).id_token,
  },
  'personal access token': {
    form: 'personal',
    clientId: '',
    audience: [],
    isForApi: true,
    get: async () => ROBOT_TOKEN,
  },
}

const isIn = ({ audience }: Held, { clientId, projectId }: Asker) =>
  audience.includes(clientId) || audience.includes(projectId)

/** The responses to a client that presents a token of another user: the rules, and nothing else. */
const WITH_CLIENT = {
  introspect: {
    expected(held: Held, asker: Asker): unknown {
      if (asker.isPublic) return 'invalid_client'
      if (held.form === 'personal') return 'active'
      return held.form === 'access' && isIn(held, asker) ? 'active' : 'inactive'
    },
    async answer(token: unknown, { from }: Asker): Promise<unknown> {
      const { status, json } = await oauth.introspect(token, from)
      return status === 200 ? (json.active ? 'active' : 'inactive') : json.error
    },
  },
  revoke: {
    expected(held: Held, { clientId }: Asker): unknown {
      const isOfAnother = held.clientId !== clientId && (held.form === 'access' || held.form === 'refresh')
      return isOfAnother ? 'invalid_grant' : 200
    },
    async answer(token: unknown, { from }: Asker): Promise<unknown> {
      const { status, json } = await oauth.revoke(token, from)
      return json.error ?? status
    },
  },
  refresh: {
    expected: (held: Held, { clientId }: Asker): unknown =>
      held.form === 'refresh' && held.clientId === clientId ? 200 : 'invalid_grant',
    async answer(token: unknown, { from }: Asker): Promise<unknown> {
      const { status, json } = await oauth.refresh(token, {}, from)
      return json.error === 'unauthorized_client' ? 'invalid_grant' : (json.error ?? status)
    },
  },
  exchange: {
    expected(held: Held, asker: Asker): unknown {
      if (!asker.mayExchange) return 'unauthorized_client'
      if (held.form === 'refresh') return 'invalid_request'
      if (held.form === 'personal')
        return !asker.isPublic && asker.organizationId === 'acme' ? 200 : 'invalid_request'
      const isOwn = held.clientId === asker.clientId
      if (asker.isPublic || held.form === 'id') return isOwn ? 200 : 'invalid_request'
      return isOwn || isIn(held, asker) ? 200 : 'invalid_request'
    },
    async answer(token: unknown, { from }: Asker, form: Form): Promise<unknown> {
      const type = form === 'id' ? 'id_token' : form === 'refresh' ? 'refresh_token' : 'access_token'
      const request = {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: String(token),
        subject_token_type: `${TYPE}${type}`,
      }
      const { status, json } = await oauth.token(request, from)
      return json.error ?? status
    },
  },
} as const

/** The responses to a holder that presents a token as a bearer. */
const AS_BEARER = {
  '/oidc/v1/userinfo': ({ form }: Held) => form === 'access' || form === 'personal',
  '/management/v1/organizations/acme': ({ isForApi }: Held) => isForApi === true,
  '/admin/v1/jobs': ({ isForApi }: Held) => isForApi === true,
  '/v2/features/instance': ({ isForApi }: Held) => isForApi === true,
} as const

const tokens = Object.entries(HELD)

describe('every token at every endpoint, presented by every client', () => {
  const cases = Object.keys(WITH_CLIENT).flatMap((endpoint) =>
    tokens.flatMap(([name, held]) =>
      ASKERS.map((asker) => {
        const { expected } = WITH_CLIENT[endpoint as keyof typeof WITH_CLIENT]
        return {
          endpoint: endpoint as keyof typeof WITH_CLIENT,
          name,
          held,
          asker,
          expected: expected(held, asker),
        }
      }),
    ),
  )
  it.each(cases)(
    '$endpoint: $name by $asker.clientId: $expected',
    async ({ endpoint, held, asker, expected }) => {
      expect(await WITH_CLIENT[endpoint].answer(await held.get(), asker, held.form)).toBe(expected)
    },
  )

  it('a token that another client tried to revoke stays active', async () => {
    const { access_token } = await signIn('exchanger')
    for (const { clientId, from } of ASKERS)
      if (clientId !== 'exchanger') await oauth.revoke(access_token, from)
    expect((await oauth.introspect(access_token)).json.active).toBe(true)
  })
})

describe('every token as a bearer', () => {
  const cases = Object.entries(AS_BEARER).flatMap(([path, counts]) =>
    tokens.map(([name, held]) => ({ path, name, held, counts: counts(held) })),
  )
  it.each(cases)('$path: $name counts: $counts', async ({ path, held, counts }) => {
    const { status } = await oauth.call(path, {
      headers: { authorization: `Bearer ${String(await held.get())}` },
    })
    // 403: the caller is known and has no role.
    expect(status !== 401).toBe(counts)
  })
})

describe('every token as a hint of the end session endpoint', () => {
  it.each(tokens)('%s ends no session without confirmation', async (_, { get }) => {
    const hint = String(await get())
    const before = await signIn('exchanger')
    await oauth.call(
      `/oidc/v1/end_session?${new URLSearchParams({ id_token_hint: hint, client_id: 'foreign' })}`,
    )
    expect((await oauth.introspect(before.access_token)).json.active).toBe(true)
  })
})
