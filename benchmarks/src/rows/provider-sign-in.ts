// Sign-in by an identity provider. Its latency is that of the four requests of a browser, without the time from the arrival of a
// request at the provider to its response. The wait of both for a processor is part of it: generator, provider and services share those
// of the machine.
import { HttpBrowser } from '@signet/testing/http-browser'
import type { Send } from '../load/http-exchange.ts'
import { ADMIN_TOKEN, REDIRECT_URI, SECRET } from '../stage/directory-document.ts'
import type { Stage } from '../stage/stage.ts'
import { startProvider } from './provider-thread.ts'
import { fetchBy } from './requests.ts'
import type { LoadRow } from './row.ts'
import { authorizationPath, randomAddress } from './sign-in.ts'

const CLIENT_ID = 'signet'

/** The sign-in page, the way to the provider, the way back with the redeemed code, the redirect with a code of Signet. */
export const providerSignIn: LoadRow = {
  kind: 'load',
  name: 'sign-in-provider',
  title: 'sign in by an identity provider (4 requests), without the time of the provider',
  budgets: [],
  // The goal is 15. Clients, provider and seven processes share the cores of the machine, and no store or call stands out.
  most: { p99Ms: 120 },
  async open(stage) {
    const { issuer, took } = await startProvider(CLIENT_ID, stage.sizes.lanes)
    await addProvider(stage, issuer)
    const services = ['login', 'federation', 'directory', 'token'] as const
    return [
      {
        name: 'signet',
        pids: services.map((service) => stage.signet.replica(service).pid),
        lanes: Array.from({ length: stage.sizes.lanes }, (_, lane) => async (send) => {
          await signIn(stage, lane, send)
          return took[lane]
        }),
      },
    ]
  },
}

async function signIn({ signet }: Stage, lane: number, send: Send): Promise<void> {
  const browser = new HttpBrowser(signet.originOf('login'), fetchBy(send))
  browser.forwardedFor = randomAddress()
  const page = await browser.open(authorizationPath('/oauth/v2/authorize', 'web'))
  const away = await browser.press(page, 'provider-1')
  const { searchParams } = new URL(away.headers.get('location') ?? '')
  const nonce = searchParams.get('nonce') ?? ''
  const query = { state: searchParams.get('state') ?? '', code: JSON.stringify({ nonce, lane }) }
  const answer = await browser.open(`/ui/identity-providers/bench/callback?${new URLSearchParams(query)}`)
  if (!answer.headers.get('location')?.startsWith(REDIRECT_URI)) throw new Error(`no sign-in: ${answer.body}`)
}

/** Adds the provider, and returns once the sign-in page offers it. */
async function addProvider(stage: Stage, issuer: string): Promise<void> {
  const { signet } = stage
  const response = await fetch(`${signet.originOf('directory')}/management/v1/identity-providers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ id: 'bench', organizationId: 'acme', name: 'Bench', issuer, creationAllowed: true },
      ...{ clientId: CLIENT_ID, clientSecret: SECRET },
    }),
  })
  if (response.status !== 201) throw new Error(`no provider: ${response.status} ${await response.text()}`)
  for (;;) {
    const page = await new HttpBrowser(signet.originOf('login')).open(
      authorizationPath('/oauth/v2/authorize', 'web'),
    )
    if (page.body.includes('id="provider-1"')) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
