import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { API_SCOPE } from '@signet/protocol/scopes'
import {
  type DPoPState,
  InMemoryWebStorage,
  type User,
  UserManager,
  WebStorageStateStore,
} from 'oidc-client-ts'
import { pushingNavigator } from './push-sign-in.ts'
import type { SignInDemand } from './sign-in-demand.ts'

/** The client id of the application through which the console signs people in. */
const CLIENT_ID = 'signet-console'

const issuer = window.location.origin
const CALLBACK = `${issuer}/console/callback`

/** The key to which tokens are bound (RFC 9449). It is in memory with them, and cannot be exported. */
const keys = new Map<string, DPoPState>()

// Tokens are in memory alone. The verifier of a sign-in under way has to survive the redirect.
const settings = {
  authority: issuer,
  client_id: CLIENT_ID,
  redirect_uri: CALLBACK,
  post_logout_redirect_uri: `${issuer}/console/`,
  response_type: 'code',
  scope: `openid profile email offline_access ${API_SCOPE}`,
  userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
  stateStore: new WebStorageStateStore({ store: window.sessionStorage, prefix: 'signet-sign-in.' }),
  automaticSilentRenew: true,
  dpop: {
    store: {
      get: async (clientId: string) => keys.get(clientId) as DPoPState,
      set: async (clientId: string, state: DPoPState) => void keys.set(clientId, state),
      remove: async (clientId: string) => {
        const state = keys.get(clientId) as DPoPState
        keys.delete(clientId)
        return state
      },
      getAllKeys: async () => [...keys.keys()],
    },
  },
}
const manager = new UserManager(settings, pushingNavigator)

/** The person who is signed in to the console. */
export interface Administrator {
  readonly userId: string
  readonly name: string
}

/**
 * Completes a sign-in that comes back to the console, or leads the browser to one. Returns who is signed in and the
 * page that was asked for first; undefined when the browser leaves this page. Rejects when the sign-in was refused.
 */
export async function signIn(): Promise<{ administrator: Administrator; path: string } | undefined> {
  if (window.location.pathname === '/console/callback') {
    const user = await manager.signinRedirectCallback()
    return { administrator: await administratorOf(user), path: pathOf(user.state) }
  }
  await startSignIn()
  return undefined
}

/** Leads the browser to a sign-in that meets the demand, and back to this page. */
export async function startSignIn(demand: SignInDemand = {}): Promise<void> {
  const { pathname, search } = window.location
  const state = pathname === '/console/callback' ? '/console/' : pathname + search
  await manager.signinRedirect({ ...demand, state })
}

/** Ends the session of the browser, everywhere where it is signed in. */
export const signOut = (): Promise<void> => manager.signoutRedirect()

/** The nonce of the last response that had one, for the next proof (RFC 9449 section 8). */
let nonce: string | undefined

interface Sent {
  readonly status: number
  readonly nonce: string | null
}

/**
 * Sends a request with the headers that prove who sends it, and once more where the server asks for its nonce. Sends it without
 * them when the session ended.
 */
export async function sendAuthorized<T extends Sent>(
  { method, url }: Pick<Request, 'method' | 'url'>,
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const known = nonce
  const sent = await send(await authorization(method, url))
  nonce = sent.nonce ?? nonce
  return sent.status === 401 && nonce !== known ? send(await authorization(method, url)) : sent
}

/** Fetches with the headers that prove who sends the request. */
export async function authorizedFetch(request: Request): Promise<Response> {
  const { response } = await sendAuthorized(request, async (headers) => {
    const authorized = request.clone()
    for (const [name, value] of Object.entries(headers)) authorized.headers.set(name, value)
    const answer = await fetch(authorized)
    return { status: answer.status, nonce: answer.headers.get('DPoP-Nonce'), response: answer }
  })
  return response
}

async function authorization(method: string, url: string): Promise<Readonly<Record<string, string>>> {
  const user = await currentUser()
  const { origin, pathname } = new URL(url, issuer)
  const proof = user && (await manager.dpopProof(`${origin}${pathname}`, user, method, nonce))
  return user && proof ? { Authorization: `DPoP ${user.access_token}`, DPoP: proof } : {}
}

async function currentUser(): Promise<User | null> {
  const user = await manager.getUser()
  return user?.expired ? manager.signinSilent().catch(() => null) : user
}

/** Only paths of the console: another one would leave it with what a stranger put into the state. */
const pathOf = (state: unknown) =>
  typeof state === 'string' && /^\/console\/(?!callback)[^\\]*$/.test(state) ? state : '/console/'

async function administratorOf({ profile: { sub } }: User): Promise<Administrator> {
  const answer = await authorizedFetch(new Request(`${issuer}${ENDPOINT_PATHS.userinfo}`))
  const { name, preferred_username: userName } = answer.ok ? await answer.json() : {}
  return { userId: sub, name: name ?? userName ?? sub }
}
