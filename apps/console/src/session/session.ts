import { API_SCOPE } from '@signet/protocol/scopes'
import { InMemoryWebStorage, type User, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import { pushingNavigator } from './push-sign-in.ts'

/** The client id of the application through which the console signs people in. */
const CLIENT_ID = 'signet-console'

const issuer = window.location.origin
const CALLBACK = `${issuer}/console/callback`

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
  // The name of the person.
  loadUserInfo: true,
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
    return { administrator: administratorOf(user), path: pathOf(user.state) }
  }
  await startSignIn()
  return undefined
}

/** Leads the browser to the sign-in, and back to this page. */
export async function startSignIn(): Promise<void> {
  const { pathname, search } = window.location
  await manager.signinRedirect({ state: pathname === '/console/callback' ? '/console/' : pathname + search })
}

/** Ends the session of the browser, everywhere where it is signed in. */
export const signOut = (): Promise<void> => manager.signoutRedirect()

/** The access token for the next request; undefined when the session ended. */
export async function accessToken(): Promise<string | undefined> {
  const user = await manager.getUser()
  if (user === null) return undefined
  if (!user.expired) return user.access_token
  return (await manager.signinSilent().catch(() => null))?.access_token
}

/** Only paths of the console: another one would leave it with what a stranger put into the state. */
const pathOf = (state: unknown) =>
  typeof state === 'string' && /^\/console\/(?!callback)[^\\]*$/.test(state) ? state : '/console/'

function administratorOf({ profile }: User): Administrator {
  return { userId: profile.sub, name: profile.name ?? profile.preferred_username ?? profile.sub }
}
