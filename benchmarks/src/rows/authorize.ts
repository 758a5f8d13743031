import { HttpBrowser } from '@signet/testing/http-browser'
import { REDIRECT_URI } from '../stage/directory-document.ts'
import type { Stage } from '../stage/stage.ts'
import type { LoadRow } from './row.ts'
import { authorizationPath, codeFlow, type Endpoints, signetEndpoints, signIn } from './sign-in.ts'

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
