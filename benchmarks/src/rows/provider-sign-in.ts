// Sign-in by an identity provider that answers at once, so that the part of Signet is measured.
import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { HttpBrowser } from '@signet/testing/http-browser'
import { startHttpServer } from '@signet/testing/http-server'
import { signJws } from '@signet/tokens/keys/sign-jws'
import { ADMIN_TOKEN, REDIRECT_URI, SECRET } from '../stage/directory-document.ts'
import type { Stage } from '../stage/stage.ts'
import type { LoadRow } from './row.ts'
import { authorizationPath, randomAddress } from './sign-in.ts'

const CLIENT_ID = 'signet'

/** The sign-in page, the way to the provider, the way back with the redeemed code, the redirect with a code of Signet. */
export const providerSignIn: LoadRow = {
  kind: 'load',
  name: 'sign-in-provider',
  title: 'sign in by an identity provider that answers at once (3 requests)',
  budgets: [],
  // The goal is 15. Clients, provider and seven processes share the cores of the machine, and no store or call stands out.
  most: { p99Ms: 120 },
  async open(stage) {
    const issuer = await startProvider()
    await addProvider(stage, issuer)
    const services = ['login', 'federation', 'directory', 'token'] as const
    return [
      {
        name: 'signet',
        pids: services.map((service) => stage.signet.replica(service).pid),
        lanes: Array.from({ length: stage.sizes.lanes }, (_, lane) => () => signIn(stage, `person-${lane}`)),
      },
    ]
  },
}

async function signIn({ signet }: Stage, subject: string): Promise<void> {
  const browser = new HttpBrowser(signet.originOf('login'))
  browser.forwardedFor = randomAddress()
  const page = await browser.open(authorizationPath('/oauth/v2/authorize', 'web'))
  const away = await browser.press(page, 'provider-1')
  const { searchParams } = new URL(away.headers.get('location') ?? '')
  const nonce = searchParams.get('nonce') ?? ''
  const query = { state: searchParams.get('state') ?? '', code: JSON.stringify({ nonce, subject }) }
  const answer = await browser.open(`/ui/identity-providers/bench/callback?${new URLSearchParams(query)}`)
  if (!answer.headers.get('location')?.startsWith(REDIRECT_URI)) throw new Error(`no sign-in: ${answer.body}`)
}

/** Starts a provider whose codes say the nonce and the subject of their ID token. It ends with this process. Returns its issuer. */
async function startProvider(): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const alg = 'ES256'
  const key = { kid: 'bench', alg, privateKey } as const
  let issuer = ''
  const answers: Readonly<Record<string, (req: IncomingMessage) => unknown>> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [alg],
    }),
    '/keys': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: key.kid, alg, use: 'sig' }] }),
    async '/token'(req) {
      const { nonce, subject } = JSON.parse(new URLSearchParams(await text(req)).get('code') ?? '{}')
      const iat = Math.floor(Date.now() / 1_000)
      const claims = { iss: issuer, aud: CLIENT_ID, sub: subject, nonce, iat, exp: iat + 60 }
      const id_token = await signJws(key, 'JWT', { ...claims, preferred_username: subject })
      return { access_token: subject, token_type: 'Bearer', expires_in: 60, id_token }
    },
  }
  const server = await startHttpServer((req: IncomingMessage, res: ServerResponse) => {
    const answer = answers[req.url ?? '']
    Promise.resolve(answer?.(req)).then(
      (body) => {
        res.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
        res.end(JSON.stringify(body ?? {}))
      },
      (error: unknown) => res.destroy(error as Error),
    )
  })
  server.unref()
  issuer = server.url
  return issuer
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
