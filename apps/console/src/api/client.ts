import createClient from 'openapi-fetch'
import { authorizedFetch } from '../session/session.ts'
import { demandOf, type SignInDemand } from '../session/sign-in-demand.ts'
import type { paths } from './gen/schema.ts'
import { firstLines } from './streams.ts'

/** A refusal or a failure of the API: a message for the person, and the request id. */
export class ApiProblem extends Error {
  readonly status: number
  /** The name of the rule that refused. */
  readonly reason: string | undefined
  readonly requestId: string | undefined
  /** The fields that break a rule, by name. */
  readonly fields: Readonly<Record<string, string>>

  constructor(status: number, body: unknown, requestId: string | undefined) {
    const { message, details = [] } = (body ?? {}) as {
      message?: string
      details?: readonly { id?: string; field?: string; rule?: string }[]
    }
    super(message ?? `The server answered ${status}.`)
    this.status = status
    this.reason = details[0]?.id
    this.requestId = requestId
    this.fields = Object.fromEntries(
      details.flatMap(({ field, rule }) => (field && rule ? [[field, rule]] : [])),
    )
  }
}

type SignInNeeded = (demand: SignInDemand | undefined) => void

let onSignInNeeded: SignInNeeded = () => undefined
/**
 * Sets the function that is called when the API refuses the token: the session of the administrator ended, or the call demands a
 * newer or a stronger sign-in.
 */
export function whenSignInNeeded(handler: SignInNeeded): void {
  onSignInNeeded = handler
}

/** Looks at the status of each answer of the API, with its header WWW-Authenticate. */
export function noticeStatus(status: number, challenge: string | null): void {
  if (status === 401) onSignInNeeded(demandOf(challenge ?? ''))
}

/** Fetches as the administrator, and notices when the API demands another sign-in. */
export async function watchedFetch(request: Request): Promise<Response> {
  const response = await authorizedFetch(request)
  noticeStatus(response.status, response.headers.get('WWW-Authenticate'))
  return response
}

/** The operations of the API by path and method, as `openapi.json` describes them. */
export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: watchedFetch })

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
export async function call(request: Call): Promise<unknown> {
  return bodyOf(await send(request))
}

/** The first lines of an answer of one JSON value a line. */
export interface FirstLines<T> {
  readonly lines: readonly T[]
  readonly hasMore: boolean
}

/** Reads at most so many lines of a document, and cancels the rest of it. Rejects with ApiProblem. */
export async function callForLines<T>(path: string, most: number): Promise<FirstLines<T>> {
  const { body } = await send({ method: 'GET', path })
  const lines = body === null ? [] : await firstLines(body, most + 1)
  return {
    lines: lines.slice(0, most).map((line) => JSON.parse(line) as T),
    hasMore: lines.length > most,
  }
}

/** Fetches a document as a file, which the browser need not keep in memory. Rejects with ApiProblem. */
export const callForFile = async (path: string): Promise<Blob> => (await send({ method: 'GET', path })).blob()

async function send({ method, path, query = {}, body }: Call): Promise<Response> {
  const url = new URL(path, window.location.origin)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const response = await watchedFetch(
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
  if (response.ok) return response
  const refusal = await bodyOf(response)
  throw new ApiProblem(
    response.status,
    typeof refusal === 'object' ? refusal : undefined,
    requestIdOf(response),
  )
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  const isJson = /^application\/json\b/.test(response.headers.get('Content-Type') ?? '')
  return text === '' ? undefined : isJson ? JSON.parse(text) : text
}
