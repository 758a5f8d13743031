// Each way to an access token, under each ending of docs/reference/endings.md: of the tokens that were issued before, and of new ones.
import { startSystem } from '@signet/testing/system/start-system'
import { bootstrapDocument } from '@signet/testing/system/test-directory'
import type { TestSystem } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accepted } from './interleavings.ts'
import {
  callbackOf,
  type Rest,
  TenantUser,
  tenantOf,
  WAYS,
  type Way,
  type WayName,
  waysDirectory,
} from './ways-and-endings.ts'

interface Ending {
  /** The parts that end. */
  readonly of: readonly Rest[]
  /** Tokens that were issued before stay: the ending takes a way to new ones. */
  readonly keepsTokens?: true
  /** The way to new tokens stays: the ending takes those that were issued before. */
  readonly keepsWays?: true
  /** A setting that services cache for a second at most: it counts once this way is refused. */
  readonly cachedUntil?: WayName
  act(user: TenantUser): Promise<void>
  /** Ways that differ from the rule that a way ends with what it rests on. */
  readonly differs?: Readonly<Partial<Record<WayName, Differing>>>
}

interface Differing {
  readonly issued: 'active' | 'ended'
  readonly anew: 'given' | 'refused'
  readonly why: string
}

const managed =
  (method: string, path: (tenant: TenantUser['tenant']) => string, body?: object) => (user: TenantUser) =>
    accepted(user.manage(method, path(user.tenant), body))

const ALL: readonly Rest[] = ['person', 'application', 'workload', 'serviceUser']

const OWN_ORGANIZATION: Differing = {
  issued: 'ended',
  anew: 'given',
  why: 'an application of the own organization asks for no consent, so its next sign-in has access again',
}
const OTHER_CREDENTIAL: Differing = {
  issued: 'ended',
  anew: 'given',
  why: 'the epoch ends all tokens of the service user, and its other credentials stay',
}

const NEW_SIGN_IN: Differing = {
  issued: 'ended',
  anew: 'given',
  why: 'the person authenticates again, in another browser',
}
/** All tokens and sessions of the person end, and the person may sign in again. */
const SIGNED_OUT = { 'a sign-in by an identity provider': NEW_SIGN_IN }

const ENDINGS: Readonly<Record<string, Ending>> = {
  'a deactivated person': {
    of: ['person'],
    act: managed('PATCH', ({ person }) => `/users/${person}`, { state: 'inactive' }),
  },
  'a locked person': {
    of: ['person'],
    act: managed('PATCH', ({ person }) => `/users/${person}`, { state: 'locked' }),
  },
  'a deleted person': { of: ['person'], act: managed('DELETE', ({ person }) => `/users/${person}`) },
  'a sign-out everywhere': {
    of: ['person'],
    act: managed('POST', ({ person }) => `/users/${person}/sign-out`),
    differs: SIGNED_OUT,
  },
  'another password': {
    of: ['person'],
    act: managed('POST', ({ person }) => `/users/${person}/password`, { password: 'Another-horse-7-runs' }),
    differs: SIGNED_OUT,
  },
  'ended sessions': {
    of: ['session'],
    async act(user) {
      const sessions = `/users/${user.tenant.person}/sessions`
      const { items } = (await user.manage('GET', sessions)).json as { items: readonly { id: string }[] }
      expect(items.length).toBeGreaterThan(1)
      for (const { id } of items) await accepted(user.manage('DELETE', `${sessions}/${id}`))
    },
    differs: SIGNED_OUT,
  },
  'a withdrawn consent': {
    of: ['consent'],
    async act({ browser, tenant }) {
      const page = await browser.submit(await browser.open('/ui/applications'), {
        client_id: tenant.application,
      })
      expect(page.status).toBe(200)
    },
    differs: {
      'a session without a page': OWN_ORGANIZATION,
      'a sign-in by an identity provider': OWN_ORGANIZATION,
      'an implicit response': OWN_ORGANIZATION,
      'a pushed request': OWN_ORGANIZATION,
      'a request object': OWN_ORGANIZATION,
      'an unredeemed code': {
        issued: 'ended',
        anew: 'given',
        why: 'a code is no grant until it is redeemed, for 60 seconds at most, and no record names it',
      },
    },
  },
  'a role that was taken': {
    of: ['role'],
    keepsTokens: true,
    cachedUntil: 'an implicit response',
    act: (user) =>
      accepted(
        user.manage('POST', `/projects/${user.tenant.project}/user-grants/remove`, {
          userId: user.tenant.person,
          roles: ['guest'],
        }),
      ),
  },
  'a deactivated identity provider': {
    of: ['provider'],
    keepsTokens: true,
    act: managed('POST', ({ provider }) => `/identity-providers/${provider}/deactivate`, {}),
  },
  'a deactivated identity provider, with its sessions': {
    of: ['person', 'provider'],
    act: managed('POST', ({ provider }) => `/identity-providers/${provider}/deactivate`, {
      endSessions: true,
    }),
  },
  'a deleted identity provider': {
    of: ['provider'],
    keepsTokens: true,
    act: managed('DELETE', ({ provider }) => `/identity-providers/${provider}`),
  },
  'a login policy without identity providers': {
    of: ['provider'],
    keepsTokens: true,
    act: managed('PUT', ({ organization }) => `/organizations/${organization}/policies/login`, {
      allowExternalIdp: false,
    }),
  },
  'a deleted link': {
    of: ['person', 'link'],
    async act(user) {
      const links = `/users/${user.tenant.person}/identity-links`
      const { items } = (await user.manage('GET', links)).json as { items: readonly { id: string }[] }
      await accepted(user.manage('DELETE', `${links}/${items[0]?.id}`))
    },
  },
  'a deactivated application': {
    of: ['application'],
    act: managed('PATCH', ({ application }) => `/applications/${application}`, { state: 'inactive' }),
  },
  'grant types that were taken': {
    of: ['grantType'],
    keepsTokens: true,
    cachedUntil: 'client credentials of an application',
    act: managed('PATCH', ({ application }) => `/applications/${application}`, {
      grantTypes: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
      responseTypes: [],
    }),
  },
  'a deleted project': {
    of: ['application', 'workload'],
    act: managed('DELETE', ({ project }) => `/projects/${project}`),
  },
  'a deactivated organization': {
    of: ALL,
    act: managed('PATCH', ({ organization }) => `/organizations/${organization}`, { state: 'inactive' }),
  },
  'a deleted secret of the application': {
    of: ['application'],
    act: managed('DELETE', ({ application }) => `/applications/${application}/secret`),
    differs: {
      'an implicit response': {
        issued: 'ended',
        anew: 'given',
        why: 'the epoch ends all tokens of the application, and this way needs no secret',
      },
    },
  },
  'a deleted key of the application': {
    of: ['applicationKey'],
    keepsTokens: true,
    cachedUntil: 'a request object',
    act: managed('DELETE', ({ application }) => `/applications/${application}/keys/k1`),
  },
  'a deactivated service user': {
    of: ['serviceUser'],
    act: managed('PATCH', ({ robot }) => `/users/${robot}`, { state: 'inactive' }),
  },
  'a deleted secret of the service user': {
    of: ['serviceUserSecret'],
    act: managed('DELETE', ({ robot }) => `/users/${robot}/secret`),
    differs: {
      'an assertion of a service user': OTHER_CREDENTIAL,
      'an assertion of a trusted issuer': OTHER_CREDENTIAL,
    },
  },
  'a deleted key of the service user': {
    of: ['serviceUserKey'],
    keepsTokens: true,
    cachedUntil: 'an assertion of a service user',
    act: managed('DELETE', ({ robot }) => `/users/${robot}/keys/k1`),
  },
  'a trust that was taken': {
    of: ['trust'],
    keepsTokens: true,
    cachedUntil: 'an assertion of a trusted issuer',
    act: managed('DELETE', ({ robot }) => `/users/${robot}/trusted-issuers/cluster`),
  },
  'a trust of the application that was taken': {
    of: ['workloadTrust'],
    keepsTokens: true,
    cachedUntil: 'client credentials by an assertion of a trusted issuer',
    act: managed('DELETE', ({ workload }) => `/applications/${workload}/trusted-issuers/cluster`),
  },
  // The last one, since it ends the tokens of all.
  'a revoked key of the access tokens': {
    of: ['sealKey'],
    keepsWays: true,
    async act(user) {
      const { keys } = (await user.manage('GET', '/keys')).json as {
        keys: readonly { kid: string; ring: string; state: string }[]
      }
      const active = keys.find(({ ring, state }) => ring === 'access-seal' && state === 'active')
      await accepted(user.manage('POST', `/keys/${active?.kid}/revoke`))
    },
    differs: {
      'a token exchange': { issued: 'ended', anew: 'refused', why: 'the exchanged token has ended' },
    },
  },
}

const NAMES = Object.keys(ENDINGS)
const WAY_NAMES = Object.keys(WAYS) as WayName[]

const TENANTS = NAMES.map((_, n) => tenantOf(n))

let system: Awaited<ReturnType<typeof start>>
let upstream: TestSystem
const start = () => startSystem({ mode: 'in-process', document: waysDirectory(TENANTS) })
beforeAll(async () => {
  system = await start()
  const settings = { oidcTokenExchange: true }
  await accepted(system.administer('PUT', '/v2/features/instance', settings))
  const redirectUris = TENANTS.map((tenant) => callbackOf(system, tenant))
  upstream = await startSystem({ mode: 'in-process', document: bootstrapDocument({ redirectUris }) })
}, 120_000)
afterAll(async () => {
  await upstream?.stop()
  await system?.stop()
})

function expected({ of, keepsTokens, keepsWays, differs }: Ending, name: WayName): Omit<Differing, 'why'> {
  const differing = differs?.[name]
  if (differing !== undefined) return { issued: differing.issued, anew: differing.anew }
  const rests: readonly Rest[] = (WAYS[name] as Way).rests
  const ends = of.some((what) => rests.includes(what))
  return {
    issued: ends && keepsTokens !== true ? 'ended' : 'active',
    anew: ends && keepsWays !== true ? 'refused' : 'given',
  }
}

it.each(NAMES)(
  '%s ends each way that rests on it, and no other [fault.grant-added-later] [fault.lock-at-redemption]',
  async (name) => {
    const ending = ENDINGS[name] as Ending
    const user = new TenantUser(system, upstream, tenantOf(NAMES.indexOf(name)))
    await user.link()
    await user.authorize()
    const held: { way: WayName; issued: string; anew: () => Promise<string | undefined> }[] = []
    for (const way of WAY_NAMES) {
      const issued = await (await WAYS[way].prepare(user))()
      if (issued === undefined) throw new Error(`${way} gives no token before the ending`)
      expect(await user.isActive(issued), way).toBe(true)
      held.push({ way, issued, anew: await WAYS[way].prepare(user) })
    }

    const { cachedUntil } = ending
    const repeated = cachedUntil === undefined ? undefined : await WAYS[cachedUntil].prepare(user)
    await ending.act(user)
    if (repeated !== undefined) await expect.poll(repeated, { timeout: 2_000, interval: 50 }).toBeUndefined()

    for (const { way, issued, anew } of held) {
      const { issued: before, anew: after } = expected(ending, way)
      const outcome = async () => {
        const token = await anew()
        return token !== undefined && (await user.isActive(token)) ? 'given' : 'refused'
      }
      expect((await user.isActive(issued)) ? 'active' : 'ended', `${way}: issued before`).toBe(before)
      // A token with an epoch from before the ending, which is cached for a second at most, is never active.
      if (after === 'given')
        await expect.poll(outcome, { timeout: 2_000, interval: 50, message: way }).toBe(after)
      else expect(await outcome(), `${way}: new`).toBe(after)
    }
  },
)
