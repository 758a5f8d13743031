import { webcrypto } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  authorizationUrl,
  deviceCommand,
  newProof,
  pushCommand,
  type SignInRequest,
  tokenCommand,
} from './sign-in-request.ts'

const request: SignInRequest = {
  application: {
    clientId: "o'neil",
    authMethod: 'client_secret_basic',
    requirePushedAuthorization: false,
  },
  issuer: 'https://id.example',
  scope: 'openid email',
  resource: 'https://orders.example  https://stock.example',
  redirectUri: 'https://shop.example/callback?a=1&b=2',
  // RFC 7636 appendix B.
  proof: {
    verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    state: 'STATE',
    nonce: 'NONCE',
  },
}
const withApplication = (changes: Partial<SignInRequest['application']>): SignInRequest => ({
  ...request,
  application: { ...request.application, ...changes },
})

describe('the request of a sign-in to try', () => {
  it('has PKCE, each resource and the redirect URI, and no verifier', () => {
    const url = new URL(authorizationUrl(request))
    expect(url.origin + url.pathname).toBe('https://id.example/oauth/v2/authorize')
    expect([...url.searchParams]).toEqual([
      ['client_id', "o'neil"],
      ['redirect_uri', 'https://shop.example/callback?a=1&b=2'],
      ['response_type', 'code'],
      ['scope', 'openid email'],
      ['resource', 'https://orders.example'],
      ['resource', 'https://stock.example'],
      ['state', 'STATE'],
      ['nonce', 'NONCE'],
      ['code_challenge', request.proof.challenge],
      ['code_challenge_method', 'S256'],
    ])
    expect(url.href).not.toContain(request.proof.verifier)
  })

  it('is pushed where the application has to push it', () => {
    const pushing = withApplication({ requirePushedAuthorization: true })
    expect(authorizationUrl(pushing)).toBe(
      'https://id.example/oauth/v2/authorize?client_id=o%27neil&request_uri=REQUEST_URI',
    )
    expect(pushCommand(pushing)).toContain(`code_challenge=${request.proof.challenge}`)
  })

  it('has a verifier and a challenge that belong together', async () => {
    const proof = await newProof(webcrypto as Crypto)
    const hash = await webcrypto.subtle.digest('SHA-256', new TextEncoder().encode(proof.verifier))
    expect(proof.challenge).toBe(Buffer.from(hash).toString('base64url'))
    expect(new Set(Object.values(proof)).size).toBe(4)
    expect(proof.verifier).toMatch(/^[\w-]{43}$/)
  })
})

describe('the commands of a sign-in to try', () => {
  it('quote values for a shell, and put a word in the place of the secret', () => {
    const command = tokenCommand(request, 'authorization_code')
    expect(command).toContain(`--user 'o'\\''neil:SECRET'`)
    expect(command).toContain(`--data-urlencode 'redirect_uri=https://shop.example/callback?a=1&b=2'`)
    expect(command).toContain(request.proof.verifier)
  })

  it.each([
    ['client_secret_post', 'client_secret=SECRET'],
    ['private_key_jwt', 'client_assertion=ASSERTION'],
    ['tls_client_auth', '--cert CERTIFICATE --key KEY'],
    ['none', 'client_id='],
  ] as const)('authenticate by %s', (authMethod, part) => {
    expect(tokenCommand(withApplication({ authMethod }), 'authorization_code')).toContain(part)
  })

  it('get the tokens of the application by its credentials, without a person and without a code', () => {
    const command = tokenCommand({ ...request, scope: 'orders:read' }, 'client_credentials')
    expect(command.split(' \\\n  ')).toEqual([
      'curl https://id.example/oauth/v2/token',
      `--user 'o'\\''neil:SECRET'`,
      '--data-urlencode grant_type=client_credentials',
      '--data-urlencode scope=orders:read',
      '--data-urlencode resource=https://orders.example',
      '--data-urlencode resource=https://stock.example',
    ])
    expect(tokenCommand({ ...request, scope: ' ' }, 'client_credentials')).not.toContain('scope=')
  })

  it('name the client once where a public client begins a sign-in on a device', () => {
    const command = deviceCommand(withApplication({ authMethod: 'none' }))
    expect(command.match(/client_id=/g)).toHaveLength(1)
    expect(command).toContain('/oauth/v2/device_authorization')
  })
})
