import { createHash, randomBytes } from 'node:crypto'
import { PlainBrowser } from '@signet/platform/load/http-browser'
import type { Lane } from '@signet/platform/load/open-loop'
import { basicAuthorization } from '../access/token-request.ts'

/** The client and the person that the requests are of. */
export interface BenchParties {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri?: string | undefined
  readonly scope: string
  readonly person?: { readonly loginName: string; readonly password: string } | undefined
}

/** A response that is not the right one. The message is a short label, since all failures of a label are counted together. */
export class WrongAnswer extends Error {}

/** Creates the lanes of one kind of request. Signs in before the load begins where the kind needs a session or tokens. */
type CreateLanes = (bench: Bench, connections: number) => Promise<readonly Lane[]>

export const KINDS = {
  'client-credentials': {
    needs: 'client',
    lanes: async (bench, connections) => same(connections, () => bench.clientToken()),
  },
  introspection: {
    needs: 'client',
    lanes: async (bench, connections) => {
      const { access_token: token } = await bench.clientToken()
      return same(connections, async () => {
        const { active } = await bench.post('/oauth/v2/introspect', { token })
        if (active !== true) throw new WrongAnswer('active is not true')
      })
    },
  },
  refresh: {
    needs: 'person',
    lanes: async (bench, connections) => {
      const browser = await bench.signedInBrowser()
      const lanes: Lane[] = []
      while (lanes.length < connections) {
        let token = (await bench.codeFlow(browser)).refresh_token
        if (token === undefined) {
          throw new WrongAnswer(
            'no refresh_token: the application needs it in grantTypes, and offline_access',
          )
        }
        lanes.push(async () => {
          const form = { grant_type: 'refresh_token', refresh_token: token ?? '' }
          token = (await bench.tokens(form)).refresh_token
        })
      }
      return lanes
    },
  },
  'code-flow': {
    needs: 'person',
    lanes: async (bench, connections) => {
      const browser = await bench.signedInBrowser()
      return same(connections, () => bench.codeFlow(browser))
    },
  },
  'sign-in': {
    needs: 'person',
    lanes: async (bench, connections) => same(connections, () => bench.signIn(bench.newBrowser())),
  },
} as const satisfies Readonly<
  Record<string, { readonly needs: 'client' | 'person'; readonly lanes: CreateLanes }>
>

export type Kind = keyof typeof KINDS

const same = (count: number, lane: Lane): readonly Lane[] => Array.from({ length: count }, () => lane)

interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
}

/** The single requests, of which a kind uses one or several. All reject with WrongAnswer for anything but the right response. */
export class Bench {
  readonly #parties: BenchParties
  readonly #fetch: typeof fetch

  constructor(parties: BenchParties, fetchBounded: typeof fetch) {
    this.#parties = parties
    this.#fetch = fetchBounded
  }

  newBrowser(): PlainBrowser {
    return new PlainBrowser(this.#parties.issuer, this.#fetch)
  }

  async post(path: string, form: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
    const { issuer, clientId, clientSecret } = this.#parties
    const send = this.#fetch
    const response = await send(`${issuer}${path}`, {
      method: 'POST',
      headers: basicAuthorization(clientId, clientSecret),
      body: new URLSearchParams(form),
    })
    const body = Object(await response.json().catch(() => undefined)) as Record<string, unknown>
    if (response.ok) return body
    throw new WrongAnswer(
      typeof body.error === 'string' ? `${response.status} ${body.error}` : `${response.status}`,
    )
  }

  async tokens(form: Readonly<Record<string, string>>): Promise<Tokens> {
    const body = await this.post('/oauth/v2/token', form)
    if (typeof body.access_token !== 'string') throw new WrongAnswer('no access_token')
    return body as unknown as Tokens
  }

  clientToken(): Promise<Tokens> {
    return this.tokens({ grant_type: 'client_credentials', scope: 'openid' })
  }

  async signedInBrowser(): Promise<PlainBrowser> {
    const browser = this.newBrowser()
    await this.signIn(browser)
    return browser
  }

  /** The sign-in page, the password, the code and its redemption. */
  async signIn(browser: PlainBrowser): Promise<Tokens> {
    const { person } = this.#parties
    const { path, verifier } = this.#authorization()
    const page = await browser.open(path)
    if (page.status !== 200) throw new WrongAnswer(`${page.status} for the sign-in page`)
    const answer = await browser.submit(page, {
      login_name: person?.loginName ?? '',
      password: person?.password ?? '',
    })
    return this.#redeem(answer, verifier)
  }

  /** A code with the session of the browser, and its redemption. */
  async codeFlow(browser: PlainBrowser): Promise<Tokens> {
    const { path, verifier } = this.#authorization()
    return this.#redeem(await browser.send(path), verifier)
  }

  #authorization(): { readonly path: string; readonly verifier: string } {
    const { clientId, redirectUri = '', scope } = this.#parties
    const verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    return { path: `/oauth/v2/authorize?${query}`, verifier }
  }

  async #redeem(
    { status, headers }: { readonly status: number; readonly headers: Headers },
    verifier: string,
  ): Promise<Tokens> {
    const { redirectUri = '' } = this.#parties
    const location = headers.get('location')
    const answer = location?.startsWith(redirectUri) ? new URL(location).searchParams : undefined
    const code = answer?.get('code')
    if (!code)
      throw new WrongAnswer(
        `${status} without a code${answer?.has('error') ? `: ${answer.get('error')}` : ''}`,
      )
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }
    return this.tokens(form)
  }
}
