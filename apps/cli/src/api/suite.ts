import createClient, { type Client } from 'openapi-fetch'
import { errorOf, SuiteUnreachable } from './errors.ts'
import { OPERATIONS } from './gen/operations.ts'
import type { paths } from './gen/schema.ts'

interface SuiteOptions {
  /** The public origin of the suite. */
  readonly issuer: string
  /** A personal access token, or an access token whose audience holds the project of the suite. */
  readonly token: () => Promise<string>
  readonly fetch: typeof fetch
  readonly pause: (milliseconds: number) => Promise<void>
  readonly randomId: () => string
}

interface SuiteRequest {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A text or stream is sent unchanged, everything else as JSON. */
  readonly body?: unknown
  /** The call is idempotent: it is repeated after a lost response or 503. */
  readonly repeatable: boolean
}

/** Calls the suite as one caller. Rejects with ManagementApiError when it refuses, SuiteUnreachable without a response. */
export interface Suite {
  /** Calls an endpoint that the OpenAPI document does not describe. */
  readonly call: (request: SuiteRequest) => Promise<Response>
  /**
   * Calls the management API. A creation gets an Idempotency-Key unless it has one, so that a repetition after a lost response
   * does not create a second object.
   */
  readonly management: Client<paths>
}

const PAUSES_MS = [500, 2_000]
const IDEMPOTENCY_KEY = 'Idempotency-Key'
const KEYED = new Set(
  Object.values(OPERATIONS)
    .filter(({ parameters }) => parameters.some(({ name }) => name === IDEMPOTENCY_KEY))
    .map(({ method, path }) => `${method} ${path}`),
)

export function createSuite({ issuer, token, fetch, pause, randomId }: SuiteOptions): Suite {
  async function attempt({ method, path, headers, body }: SuiteRequest): Promise<Response> {
    const sent = sentBody(body)
    const authorization = `Bearer ${await token()}`
    return fetch(`${issuer}${path}`, {
      method,
      headers: {
        authorization,
        accept: 'application/json',
        ...(sent && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...sent,
    }).catch((cause: unknown) => {
      throw new SuiteUnreachable(`${issuer} cannot be reached`, { cause })
    })
  }

  async function call(request: SuiteRequest): Promise<Response> {
    for (const pauseMs of request.repeatable ? PAUSES_MS : []) {
      const response = await attempt(request).catch(onlyWhenUnreachable)
      if (response !== undefined && response.status !== 503) return accepted(response)
      await response?.body?.cancel()
      await pause(pauseMs)
    }
    return accepted(await attempt(request))
  }

  const management = createClient<paths>({
    // Only the path is used: `call` adds the issuer.
    baseUrl: 'http://suite',
    fetch: async (request) => {
      const { method, headers } = request
      const { pathname, search } = new URL(request.url)
      return call({
        method,
        path: `${pathname}${search}`,
        headers: Object.fromEntries(headers),
        body: (await request.text()) || undefined,
        repeatable: method === 'GET' || headers.has(IDEMPOTENCY_KEY),
      })
    },
  })
  management.use({
    onRequest({ request, schemaPath }) {
      const keyed = KEYED.has(`${request.method} ${schemaPath}`)
      if (keyed && !request.headers.has(IDEMPOTENCY_KEY)) request.headers.set(IDEMPOTENCY_KEY, randomId())
    },
  })
  return { call, management }
}

/** The body of a response of `management`, which throws instead of returning an error. */
export function bodyOf<T>({ data }: { readonly data?: T }): NonNullable<T> {
  if (data === undefined || data === null) throw new Error('the response has no body')
  return data
}

function sentBody(body: unknown): Pick<RequestInit, 'body' | 'duplex'> | undefined {
  if (body === undefined) return undefined
  if (body instanceof ReadableStream) return { body, duplex: 'half' }
  return { body: typeof body === 'string' ? body : JSON.stringify(body) }
}

function onlyWhenUnreachable(error: unknown): undefined {
  if (!(error instanceof SuiteUnreachable)) throw error
}

async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response
  throw await errorOf(response)
}
