import { randomUUID } from 'node:crypto'
import type { HttpBrowser, Page } from '@signet/testing/http-browser'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { REDIRECT_URI, SECRET } from '@signet/testing/system/oauth-directory'
import { discover } from '@signet/testing/system/sign-in-journey'
import { PASSWORD } from '@signet/testing/system/test-directory'
import type { Answer } from '@signet/testing/system/test-system'
import { importPKCS8, type JWTPayload, SignJWT } from 'jose'
import * as oidc from 'openid-client'
import { type AuthorizationResponse, readResponse } from './authorization-response.ts'
import { KEY, providerDirectory } from './provider-directory.ts'

export type Parameters = Readonly<Record<string, string>>

export interface SignIn {
  readonly clientId?: string
  readonly scope?: string
  readonly loginName?: string
  /** Browser; one that is signed in already is asked for nothing. */
  readonly browser?: HttpBrowser
  /** Added to the request; an empty text takes a parameter away. */
  readonly parameters?: Parameters
}

/** The running services as browsers and stock clients meet them, all on one origin. */
export class Provider {
  readonly system: InProcessSystem
  readonly #server: oidc.ServerMetadata

  constructor(system: InProcessSystem, server: oidc.ServerMetadata) {
    this.system = system
    this.#server = server
  }

  get issuer(): string {
    return this.system.issuer
  }

  now(): number {
    return Math.floor(this.system.clock.now().getTime() / 1000)
  }

  /** A stock client with the credentials that it is registered with, or with others. */
  async client(clientId = 'web', auth?: oidc.ClientAuth): Promise<oidc.Configuration> {
    const metadata = { [oidc.clockSkew]: Math.round((this.system.clock.now().getTime() - Date.now()) / 1000) }
    const config = new oidc.Configuration(this.#server, clientId, metadata, auth ?? authOf(clientId))
    oidc.allowInsecureRequests(config)
    return config
  }

  /** The address of an authorization request of `web`, unless the parameters say otherwise. */
  authorizationUrl(parameters: Parameters = {}): string {
    const all = {
      client_id: 'web',
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid',
      ...parameters,
    }
    const given = Object.entries(all).filter(([, value]) => value !== '')
    return `/oauth/v2/authorize?${new URLSearchParams(given)}`
  }

  /** Opens an authorization request and returns the next page, or the redirect to the client. */
  open(browser: HttpBrowser, parameters?: Parameters): Promise<Page> {
    return browser.open(this.authorizationUrl(parameters))
  }

  /** The parameters for the redirect URI of a client. A password is entered only where the page asks for one. */
  async authorize(parameters: Parameters = {}, from: SignIn = {}): Promise<AuthorizationResponse> {
    const { browser = this.system.newBrowser(), loginName = 'alice' } = from
    const page = await this.open(browser, parameters)
    const asked = page.body.includes('id="login-name"')
    return readResponse(
      asked ? await browser.submit(page, { login_name: loginName, password: PASSWORD }) : page,
    )
  }

  /** Signs a person in by the code flow and redeems the code, every check of the client included. */
  async signIn(options: SignIn = {}) {
    const { clientId = 'web', scope = 'openid', browser = this.system.newBrowser() } = options
    const verifier = oidc.randomPKCECodeVerifier()
    const nonce = oidc.randomNonce()
    const state = oidc.randomState()
    const parameters = {
      client_id: clientId,
      scope,
      nonce,
      state,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...options.parameters,
    }
    const response = await this.authorize(parameters, { ...options, browser })
    const config = await this.client(clientId)
    const tokens = await oidc.authorizationCodeGrant(config, response.received(), {
      expectedState: parameters.state === '' ? oidc.skipStateCheck : parameters.state,
      ...(parameters.nonce !== '' && { expectedNonce: parameters.nonce }),
      ...(parameters.code_challenge !== '' && { pkceCodeVerifier: verifier }),
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (claims === undefined) throw new Error('no ID token')
    return { config, browser, response, tokens, claims }
  }

  /** The tokens of a response that was asked for without state, nonce and challenge. */
  async redeem(url: URL, clientId?: string) {
    const config = await this.client(clientId)
    return { config, tokens: await oidc.authorizationCodeGrant(config, url) }
  }

  /** The introspection response for a token; the caller is `api` by default. */
  async introspect(token: string, clientId = 'api'): Promise<oidc.IntrospectionResponse> {
    return oidc.tokenIntrospection(await this.client(clientId), token)
  }

  /** The credentials of `keyed` in a form: a fresh assertion, with claims of one's own. */
  async assertion(claims: JWTPayload = {}, endpoint = '/oauth/v2/token'): Promise<Parameters> {
    const now = this.now()
    const assertion = await new SignJWT({
      ...{ iss: 'keyed', sub: 'keyed', aud: this.issuer + endpoint },
      ...{ iat: now, exp: now + 60, jti: randomUUID() },
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .sign(KEY.privateKey)
    return {
      client_assertion: assertion,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    }
  }

  /** POSTs a form, by `web` with Basic unless the headers say otherwise. */
  post(path: string, form: Parameters | URLSearchParams, headers: Parameters = basic()): Promise<Answer> {
    return this.system.fetch(path, { method: 'POST', headers, body: new URLSearchParams(form) })
  }

  stop(): Promise<void> {
    return this.system.stop()
  }
}

/** Options of `startSystem` for these tests. */
export const PROVIDER_SYSTEM = { mode: 'in-process', document: providerDirectory() } as const

/** Running services with the clients of that directory. */
export async function connectProvider(system: InProcessSystem): Promise<Provider> {
  const config = await discover(system.issuer, 'web', oidc.None())
  return new Provider(system, config.serverMetadata())
}

export function basic(clientId = 'web', secret = SECRET): Parameters {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` }
}

function authOf(clientId: string): oidc.ClientAuth {
  switch (clientId) {
    case 'post':
      return oidc.ClientSecretPost(SECRET)
    case 'keyed':
      return oidc.PrivateKeyJwt({ key: SIGNING_KEY, kid: 'k1' })
    case 'spa':
    case 'implicit':
    case 'no-code':
      return oidc.None()
    default:
      return oidc.ClientSecretBasic(SECRET)
  }
}

/** The private key of `keyed`. */
export const SIGNING_KEY = await importPKCS8(
  `${KEY.privateKey.export({ type: 'pkcs8', format: 'pem' })}`,
  'ES256',
)
