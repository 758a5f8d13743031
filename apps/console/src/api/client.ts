import createClient from 'openapi-fetch'
import { accessToken } from '../session/session.ts'
import type { paths } from './gen/schema.ts'

/** A refusal or a failure of the API: a message for the person, and the request id. */
export class ApiProblem extends Error {
  readonly status: number
  readonly requestId: string | undefined
  /** The fields that break a rule, by name. */
  readonly fields: Readonly<Record<string, string>>

  constructor(status: number, body: unknown, requestId: string | undefined) {
    const { message, details = [] } = (body ?? {}) as {
      message?: string
      details?: readonly { field?: string; rule?: string }[]
    }
    super(message ?? `The server answered ${status}.`)
    this.status = status
    this.requestId = requestId
    this.fields = Object.fromEntries(
      details.flatMap(({ field, rule }) => (field && rule ? [[field, rule]] : [])),
    )
  }
}

/** Called when the API refuses the token: the session of the administrator ended. */
let onSessionEnded: () => void = () => undefined
export function whenSessionEnds(handler: () => void): void {
  onSessionEnded = handler
}

async function authorizedFetch(request: Request): Promise<Response> {
  const token = await accessToken()
  if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`)
  const response = await fetch(request)
  if (response.status === 401) onSessionEnded()
  return response
}

/** The operations of the API by path and method, as `openapi.json` describes them. */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: authorizedFetch })

interface Answer<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

/** The body of a successful answer. Rejects with ApiProblem. */
export async function answerOf<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer
  if (!response.ok) throw new ApiProblem(response.status, error, requestIdOf(response))
  return data as T
}

const requestIdOf = (response: Response) => response.headers.get('X-Request-Id') ?? undefined

interface Call {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Calls an operation that is known only while the page runs. Rejects with ApiProblem. */
export async function call({ method, path, query = {}, body }: Call): Promise<unknown> {
  const url = new URL(path, window.location.origin)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const response = await authorizedFetch(
    new Request(url, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        // Exports and imports answer with their job at once.
        ...(path.startsWith('/admin/v1/') && { Prefer: 'respond-async' }),
      },
    }),
  )
  const text = await response.text()
  const isJson = /^application\/json\b/.test(response.headers.get('Content-Type') ?? '')
  const value: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text
  if (!response.ok) throw new ApiProblem(response.status, isJson ? value : undefined, requestIdOf(response))
  return value
}
