// Rows of requests that browsers send: sign-in, authorize, sign-out.

import { quantileOf } from '@signet/platform/load/open-loop'
import { HttpBrowser } from '@signet/testing/http-browser'
import type { HttpRequest } from '../load/http-exchange.ts'
import { type Lane, laneOf, WrongAnswer } from '../load/lane.ts'
import { arrive } from '../load/open-loop.ts'
import type { Sizes } from '../sizes.ts'
import { REDIRECT_URI, SIGNED_OUT_URI } from '../stage/directory-document.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { introspection } from './read-rows.ts'
import { formRequest, getRequest, limitOf, sameLanes, usingUp } from './requests.ts'
import { sameBytes } from './right-answers.ts'
import type { Figure, FigureRow, LoadRow } from './row.ts'
import {
  authorizationPath,
  codeFlow,
  type Endpoints,
  signetEndpoints,
  signIn,
  tokensOfSignIn,
} from './sign-in.ts'

/** A browser with a session sends an authorization request; the application redeems the code. */
export const authorize: LoadRow = {
  kind: 'load',
  name: 'authorize',
  title: 'authorize with a session, redeem the code (2 requests)',
  budgets: [{ of: 'peer', atLeast: 2 }],
  most: { p99Ms: 15 },
  async open(stage) {
    const { signet, peer, sizes } = stage
    const lanes = async (endpoints: Endpoints, session: () => Promise<string>) => {
      const cookies: string[] = []
      while (cookies.length < sizes.lanes) cookies.push(await session())
      return cookies.map((cookie) => async (send: typeof stage.connections.send) => {
        await codeFlow(endpoints, { clientId: 'web', cookie }, send)
      })
    }
    const atPeer = {
      authorize: { origin: peer.origin, path: '/auth' },
      token: { origin: peer.origin, path: '/token' },
    }
    return [
      {
        name: 'signet',
        pids: [signet.replica('login').pid, signet.replica('token').pid],
        lanes: await lanes(signetEndpoints(stage), () => signIn(stage)),
      },
      { name: 'peer', pids: [peer.pid], lanes: await lanes(atPeer, () => signInAtPeer(stage)) },
    ]
  },
}

/** The session cookies of a browser whose user signed in at the peer, which does not ask for a password. */
async function signInAtPeer({ peer }: Stage): Promise<string> {
  const browser = new HttpBrowser(peer.origin)
  const done = await browser.open(authorizationPath('/auth', 'web'))
  if (!done.headers.get('location')?.startsWith(REDIRECT_URI)) throw new Error(`no sign-in: ${done.body}`)
  const session = [...browser.cookies].filter(([name]) => name.startsWith('_session'))
  return session.map(([name, value]) => `${name}=${value}`).join('; ')
}

/** A person without a session: the sign-in page, the password, the redirect with a code. */
export const passwordSignIn: LoadRow = {
  kind: 'load',
  name: 'sign-in',
  title: 'sign in with a password (3 requests)',
  limit: 'reads the form, verifies one argon2id hash in a pool of the same size',
  budgets: [{ of: 'limit', atLeast: 0.85 }],
  async open(stage) {
    const { signet } = stage
    return [
      {
        name: 'signet',
        pids: (['login', 'directory', 'token'] as const).map((service) => signet.replica(service).pid),
        lanes: sameLanes(stage, async () => {
          await signIn(stage)
        }),
      },
      await limitOf(stage, {
        name: 'sign-in',
        work: 'argon2',
        like: formRequest(signet.originOf('login'), '/', { clientId: 'web', form: { login_name: 'alice' } }),
        answer: { status: 302, headers: {}, body: '' },
      }),
    ]
  },
}

const MOST_PER_SECOND = 1_000
/** Passwords are verified by a pool of threads; more at once only wait for it. */
const SIGN_INS_AT_ONCE = 4

/**
 * Each request ends another browser session with its grant, on every replica, before it is answered. The peer asks the
 * user first, so it has no request to compare with.
 */
export const signOut: LoadRow = {
  kind: 'load',
  name: 'sign-out',
  title: 'sign out of a session with a grant, final at the answer',
  limit: 'reads the form, does one guarded UPDATE, answers the same bytes',
  budgets: [],
  most: { cpuMicroseconds: 4_000 },
  async open(stage) {
    const { signet, connections } = stage
    const origin = signet.originOf('login')
    /** A session, as the text of the request that ends it. */
    const session = async (): Promise<string> => {
      const cookie = await signIn(stage)
      const { id_token } = await codeFlow(
        signetEndpoints(stage),
        { clientId: 'web', cookie },
        connections.send,
      )
      const query = { id_token_hint: id_token, post_logout_redirect_uri: SIGNED_OUT_URI }
      return JSON.stringify(
        getRequest(origin, `/oidc/v1/end_session?${new URLSearchParams(query)}`, { cookie }),
      )
    }
    const requestOf = (text: string) => JSON.parse(text) as HttpRequest
    const fresh = async (count: number) => {
      const sessions: string[] = []
      const signingIn = Array.from({ length: SIGN_INS_AT_ONCE }, async () => {
        while (sessions.length < count) sessions.push(await session())
      })
      await Promise.all(signingIn)
      return sessions
    }
    const sample = requestOf(await session())
    const answer = await connections.send(sample)
    if (answer.headers.location !== SIGNED_OUT_URI) throw new WrongAnswer(sample, answer)
    const { searchParams } = new URL(sample.path, origin)
    const like = formRequest(origin, '/', { clientId: 'web', form: Object.fromEntries(searchParams) })
    return [
      {
        name: 'signet',
        pids: [signet.replica('login').pid, signet.replica('token').pid],
        ...usingUp(stage, {
          row: 'sign-out',
          mostPerSecond: MOST_PER_SECOND,
          status: answer.status,
          fresh,
          requestOf,
        }),
      },
      await limitOf(stage, { name: 'sign-out', work: 'update', like, answer }),
    ]
  },
}

const SIGN_INS_PER_SECOND = 50
const INTROSPECTIONS_PER_SECOND = 200

/** Introspections at a steady rate, alone and while more people sign in than two cores can verify passwords of. */
export const signInPressure: FigureRow = {
  kind: 'figures',
  name: 'sign-in-pressure',
  title: `introspection while ${SIGN_INS_PER_SECOND} people a second sign in`,
  async measure(sizes) {
    const stage = await openStage(sizes)
    try {
      return await figuresOf(stage, sizes)
    } finally {
      await stage.stop()
    }
  },
}

async function figuresOf(stage: Stage, { rounds, turnMs, lanes }: Sizes): Promise<readonly Figure[]> {
  const durationMs = rounds * turnMs
  const several = (lane: Lane) => Array.from({ length: lanes }, () => lane)
  const at = (lane: Lane, perSecond: number) =>
    arrive(several(lane), stage.connections.send, { perSecond, durationMs, random: Math.random })
  const { access_token } = await tokensOfSignIn(stage)
  const asked = introspection(stage, access_token)
  const answer = await stage.connections.send(asked)
  const isActive = sameBytes({ active: true, sub: 'alice' })(answer)
  if (isActive === undefined) throw new Error(`introspection answered ${answer.status}: ${answer.body}`)
  const introspect = laneOf(() => asked, isActive)
  const person: Lane = async () => void (await signIn(stage))
  await at(introspect, INTROSPECTIONS_PER_SECOND)
  const alone = await at(introspect, INTROSPECTIONS_PER_SECOND)
  const startedAt = performance.now()
  const [beside, signIns] = await Promise.all([
    at(introspect, INTROSPECTIONS_PER_SECOND),
    at(person, SIGN_INS_PER_SECOND),
  ])
  const seconds = (performance.now() - startedAt) / 1_000
  return [
    { name: 'introspect alone: p50', value: quantileOf(alone, 0.5), unit: 'ms' },
    { name: 'introspect alone: p99', value: quantileOf(alone, 0.99), unit: 'ms' },
    { name: 'introspect beside sign-ins: p50', value: quantileOf(beside, 0.5), unit: 'ms' },
    { name: 'introspect beside sign-ins: p99', value: quantileOf(beside, 0.99), unit: 'ms' },
    { name: 'sign-ins that ended', value: signIns.length / seconds, unit: '/s' },
    { name: 'sign-in: p99, waiting included', value: quantileOf(signIns, 0.99), unit: 'ms' },
  ]
}
