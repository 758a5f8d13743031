// Rows of Signet beside Keycloak: the contender of Signet is that of its own row.

import { HttpBrowser } from '@signet/testing/http-browser'
import type { KeycloakPeer, Realm } from '../contenders/keycloak.ts'
import type { HttpRequest } from '../load/http-exchange.ts'
import { type Lane, laneOf, saturate, WrongAnswer } from '../load/lane.ts'
import { PASSWORD, REDIRECT_URI, SIGNED_OUT_URI } from '../stage/directory-document.ts'
import type { Stage } from '../stage/stage.ts'
import { authorize, passwordSignIn, signOut } from './browser-rows.ts'
import { introspect, keySet } from './read-rows.ts'
import { formRequest, getRequest, sameLanes, usingUp } from './requests.ts'
import { type Expectation, freshToken, isSignedWith, sameBytes } from './right-answers.ts'
import type { Contender, LoadRow } from './row.ts'
import { authorizationPath, codeFlow, requireTokens } from './sign-in.ts'
import { clientCredentialsRs256, refresh, revoke } from './token-rows.ts'

type Work = Pick<Contender, 'lanes' | 'beforeTurn'>

/** Keycloak compiles what it runs often. */
const WARM_UP_MS = 10_000
/** Keycloak gives a refresh token without `offline_access`, which would make a session of another kind. */
const SCOPE = 'openid profile email'

function besideKeycloak(
  row: LoadRow,
  title: string,
  open: (stage: Stage, keycloak: KeycloakPeer) => Promise<Work>,
): LoadRow {
  return {
    ...{ kind: 'load', name: row.name, title, budgets: [] },
    async open(stage) {
      const { keycloak } = stage
      if (keycloak === undefined) throw new Error('this stage has no Keycloak')
      const [signet] = await row.open(stage)
      if (signet === undefined) throw new Error(`${row.name} has no contender`)
      const work = await open(stage, keycloak)
      if (work.beforeTurn === undefined) await saturate(work.lanes, stage.connections.send, WARM_UP_MS)
      return [signet, { name: 'peer', pids: keycloak.pids, ...work }]
    },
  }
}

/** The same request over and over. */
async function repeated(stage: Stage, request: HttpRequest, expect: Expectation): Promise<Work> {
  const answer = await stage.connections.send(request)
  const isRight = expect(answer)
  if (isRight === undefined) throw new WrongAnswer(request, answer)
  return {
    lanes: sameLanes(
      stage,
      laneOf(() => request, isRight),
    ),
  }
}

const clientCredentialsOf = ({ origin, pathOf }: KeycloakPeer): HttpRequest =>
  formRequest(origin, pathOf('passwords', '/token'), {
    clientId: 'web',
    form: { grant_type: 'client_credentials' },
  })

async function freshAccessToken(stage: Stage, keycloak: KeycloakPeer): Promise<string> {
  const request = clientCredentialsOf(keycloak)
  const answer = await stage.connections.send(request)
  if (answer.status !== 200) throw new WrongAnswer(request, answer)
  return (JSON.parse(answer.body) as { access_token: string }).access_token
}

/** Signs the user in by the page of the realm and returns the cookies of the browser. */
async function signInAtKeycloak(
  { origin, pathOf }: KeycloakPeer,
  realm: Realm,
  clientId = 'web',
): Promise<string> {
  const browser = new HttpBrowser(origin)
  const page = await browser.open(authorizationPath(pathOf(realm, '/auth'), clientId, SCOPE))
  const done = await browser.submit(page, { username: 'alice', password: PASSWORD })
  if (!done.headers.get('location')?.startsWith(REDIRECT_URI))
    throw new Error(`no sign-in at Keycloak: ${done.status} ${done.body.slice(0, 500)}`)
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

const endpointsOf = ({ origin, pathOf }: KeycloakPeer) => ({
  authorize: { origin, path: pathOf('sessions', '/auth') },
  token: { origin, path: pathOf('sessions', '/token') },
})

async function sessions(stage: Stage, keycloak: KeycloakPeer, clientId: string): Promise<readonly string[]> {
  const cookies: string[] = []
  while (cookies.length < stage.sizes.lanes)
    cookies.push(await signInAtKeycloak(keycloak, 'sessions', clientId))
  return cookies
}

function rotating({ origin, pathOf }: KeycloakPeer, clientId: string, first: string): Lane {
  let current = first
  return async (send) => {
    const form = { grant_type: 'refresh_token', refresh_token: current }
    const request = formRequest(origin, pathOf('sessions', '/token'), { clientId, form })
    const { refresh_token: next } = await requireTokens(send, request)
    if (next === current) throw new Error('the refresh token was not rotated')
    current = next
  }
}

/** More than Keycloak can do. */
const MOST_REVOCATIONS_PER_SECOND = 2_500
const MOST_SIGN_OUTS_PER_SECOND = 800
const AT_ONCE = 8

/** Makes as many things, several at once. */
async function made(count: number, one: () => Promise<string>): Promise<readonly string[]> {
  const things: string[] = []
  const making = Array.from({ length: AT_ONCE }, async () => {
    while (things.length < count) things.push(await one())
  })
  await Promise.all(making)
  return things
}

/** Rows of `npm run bench:peers`, in the order of the table. */
export const KEYCLOAK_ROWS: readonly LoadRow[] = [
  besideKeycloak(clientCredentialsRs256, '`client_credentials`, JWT (RS256)', async (stage, keycloak) => {
    const certificates = getRequest(keycloak.origin, keycloak.pathOf('passwords', '/certs'))
    const { body } = await stage.connections.send(certificates)
    return repeated(stage, clientCredentialsOf(keycloak), freshToken(isSignedWith('RS256', body)))
  }),
  besideKeycloak(introspect, 'introspection', async (stage, keycloak) => {
    const form = { token: await freshAccessToken(stage, keycloak) }
    const path = keycloak.pathOf('passwords', '/token/introspect')
    return repeated(
      stage,
      formRequest(keycloak.origin, path, { clientId: 'web', form }),
      sameBytes({ active: true }),
    )
  }),
  besideKeycloak(refresh, 'refresh with rotation, ID token ES256', async (stage, keycloak) => {
    const clientId = 'web-es256'
    const lanes: Lane[] = []
    // A rotation ends the other tokens of its client in the same session.
    for (const cookie of await sessions(stage, keycloak, clientId)) {
      const tokens = await codeFlow(
        endpointsOf(keycloak),
        { clientId, cookie, scope: SCOPE },
        stage.connections.send,
      )
      lanes.push(rotating(keycloak, clientId, tokens.refresh_token))
    }
    return { lanes }
  }),
  besideKeycloak(revoke, 'revoke an access token', async (stage, keycloak) => ({
    ...usingUp(stage, {
      ...{ row: 'revoke at Keycloak', mostPerSecond: MOST_REVOCATIONS_PER_SECOND, status: 200 },
      fresh: (count) => made(count, () => freshAccessToken(stage, keycloak)),
      requestOf: (token) =>
        formRequest(keycloak.origin, keycloak.pathOf('passwords', '/revoke'), {
          clientId: 'web',
          form: { token },
        }),
    }),
  })),
  besideKeycloak(authorize, 'authorize with a session, redeem the code', async (stage, keycloak) => ({
    lanes: (await sessions(stage, keycloak, 'web')).map(
      (cookie) => async (send: typeof stage.connections.send) => {
        await codeFlow(endpointsOf(keycloak), { clientId: 'web', cookie, scope: SCOPE }, send)
      },
    ),
  })),
  besideKeycloak(passwordSignIn, 'sign in with a password, to the code', async (stage, keycloak) => ({
    lanes: sameLanes(stage, async () => {
      await signInAtKeycloak(keycloak, 'passwords')
    }),
  })),
  besideKeycloak(signOut, 'sign out of a session with a grant', async (stage, keycloak) => {
    const one = async () => {
      const cookie = await signInAtKeycloak(keycloak, 'sessions')
      const { id_token } = await codeFlow(
        endpointsOf(keycloak),
        { clientId: 'web', cookie, scope: SCOPE },
        stage.connections.send,
      )
      const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: SIGNED_OUT_URI })
      return JSON.stringify(
        getRequest(keycloak.origin, `${keycloak.pathOf('sessions', '/logout')}?${query}`, { cookie }),
      )
    }
    return usingUp(stage, {
      ...{ row: 'sign-out at Keycloak', mostPerSecond: MOST_SIGN_OUTS_PER_SECOND, status: 302 },
      fresh: (count) => made(count, one),
      requestOf: (text) => JSON.parse(text) as HttpRequest,
    })
  }),
  besideKeycloak(keySet, 'key set', (stage, keycloak) =>
    repeated(stage, getRequest(keycloak.origin, keycloak.pathOf('passwords', '/certs')), sameBytes()),
  ),
]
