import { errorOf, SuiteUnreachable } from './management-api-error.ts'

export interface SuiteCallerOptions {
  /** The public origin of the suite. */
  readonly issuer: string
  /** A personal access token, or an access token whose audience holds the project of the suite. */
  readonly token: () => Promise<string>
  readonly fetch: typeof fetch
  readonly pause: (milliseconds: number) => Promise<void>
}

export interface SuiteRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A text or stream goes as it is, everything else as JSON. */
  readonly body?: unknown
  /** Whether a second call does no more than one: it is then made when the first got no answer, or 503. */
  readonly repeatable: boolean
}

const PAUSES_MS = [500, 2_000]

/** Calls the suite as somebody. Rejects with ManagementApiError when it refuses, SuiteUnreachable without an answer. */
export type SuiteCaller = (request: SuiteRequest) => Promise<Response>

export function suiteCaller({ issuer, token, fetch, pause }: SuiteCallerOptions): SuiteCaller {
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

  return async (request) => {
    for (const pauseMs of request.repeatable ? PAUSES_MS : []) {
      const response = await attempt(request).catch(onlyWhenUnreachable)
      if (response !== undefined && response.status !== 503) return accepted(response)
      await response?.body?.cancel()
      await pause(pauseMs)
    }
    return accepted(await attempt(request))
  }
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
