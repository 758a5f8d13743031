import type { LoadRow } from './row.ts'
import { codeFlow, signIn } from './sign-in.ts'

/** An authorization request of a browser with a session, and the redemption of its code. */
export const codeFlowRow: LoadRow = {
  kind: 'load',
  name: 'code',
  title: 'authorize with a session, redeem the code (2 requests)',
  arrivalsPerSecond: 50,
  budgets: [],
  async open(stage) {
    const { signet, sizes } = stage
    const cookies: string[] = []
    while (cookies.length < sizes.lanes) cookies.push(await signIn(stage))
    return [
      {
        name: 'signet',
        pids: [signet.replica('login').pid, signet.replica('token').pid],
        lanes: cookies.map((cookie) => async (send) => {
          await codeFlow(stage, { clientId: 'web', cookie }, send)
        }),
      },
    ]
  },
}
