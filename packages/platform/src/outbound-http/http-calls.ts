import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { type BlockList, isIP } from 'node:net'
import { createAddressPolicy } from './address-policy.ts'
import { createGuardedLookup, OutboundError, type Resolve, refusal, systemResolve } from './guarded-agents.ts'
import { createKeptConnections, type KeptConnectionLimits, type KeptConnections } from './kept-connections.ts'

/**
 * POSTs a form and answers the HTTP status; a redirect is an answer. Rejects with OutboundError when there was none.
 */
export type PostForm = (url: string, form: Readonly<Record<string, string>>) => Promise<number>

/** GETs a text; a redirect is an answer. Rejects with OutboundError when there was none, and for one of more than 1 MiB. */
export type GetText = (
  url: string,
  headers: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly text: string }>

/** GETs a short document with the headers that say what it is; a redirect is an answer. Rejects as GetText does, with the limit of its creator. */
export type GetDocument = (url: string) => Promise<Document>

interface Document {
  readonly status: number
  /** Media type in lower case, without parameters; empty when it is missing. */
  readonly mediaType: string
  readonly cacheControl: string
  readonly text: string
}

/** POSTs JSON and reads the answer; a redirect is an answer. Rejects as GetText does. */
export type PostJson = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object,
) => Promise<{ readonly status: number; readonly text: string }>

/**
 * The fetch function of a library; a redirect is an answer. Rejects as GetText does. The answer has the headers that say what it is.
 */
export type GuardedFetch = (url: string, request: GuardedRequest) => Promise<Response>

interface GuardedRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** A text, or parameters of a form. */
  readonly body?: unknown
  /** Ends the call before its own time limit. */
  readonly signal?: AbortSignal | undefined
}

interface Options {
  /** Networks beside the public Internet that may be called. */
  readonly allow: BlockList
  /** Time limit for the whole call, from the name to the last byte of the answer. */
  readonly timeoutMs: number
  /** PEM of the authority of https servers; those that Node.js knows when left out. */
  readonly ca?: string | undefined
  readonly resolve?: Resolve
}

/** The part of a response that is read, so that the other side does not see a broken connection. It is discarded. */
const READ_BYTES = 65_536
const TEXT_BYTES = 1_048_576

/** Calls URLs that applications register. */
export function createPostForm(options: Options): PostForm {
  const call = createMethodCall(options)
  return (url, form) => {
    const body = new URLSearchParams(form).toString()
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': Buffer.byteLength(body),
    }
    return call({ url, method: 'POST', headers, body }, async (response) => {
      // The status is the answer, also when what follows it breaks off.
      await readAway(response).catch(() => undefined)
      return response.statusCode ?? 0
    })
  }
}

/** Reads from URLs of the settings under the same rules. */
export function createGetText(options: Options): GetText {
  return createTextReader(createMethodCall(options))
}

function createTextReader(call: MethodCall): GetText {
  return (url, headers) =>
    call({ url, method: 'GET', headers }, async (response) => ({
      status: response.statusCode ?? 0,
      text: await readText(response),
    }))
}

/** Reads documents of at most so many bytes under the same rules from URLs that strangers name. */
export function createGetDocument(options: Options & { readonly limitBytes: number }): GetDocument {
  const call = createMethodCall(options)
  return (url) =>
    call({ url, method: 'GET', headers: { Accept: 'application/json' } }, async (response) => {
      const { 'content-type': type = '', 'cache-control': cacheControl = '' } = response.headers
      return {
        status: response.statusCode ?? 0,
        mediaType: type.replace(/;.*/, '').trim().toLowerCase(),
        cacheControl,
        text: await readText(response, options.limitBytes),
      }
    })
}

/** Calls a server that the settings name. */
export function createPostJson(options: Options): PostJson {
  const call = createMethodCall(options)
  return (url, headers, content) => {
    const body = JSON.stringify(content)
    const length = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    return call({ url, method: 'POST', headers: { ...headers, ...length }, body }, async (response) => ({
      status: response.statusCode ?? 0,
      text: await readText(response),
    }))
  }
}

interface KeepingOptions extends Options {
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number
  readonly limits?: KeptConnectionLimits
}

/** Calls that use the connections of earlier ones. A second object shares none of them, so each has its own rules and authority. */
export interface KeepingCalls {
  readonly getText: GetText
  readonly fetch: GuardedFetch
  /** Closes every connection. */
  stop(): void
}

/** Starts calls to servers that are called again soon: opening a connection with TLS takes two to three round trips. */
export function startKeepingCalls({ elapsed, limits, ...options }: KeepingOptions): KeepingCalls {
  const { allow, resolve = systemResolve } = options
  const lookup = createGuardedLookup(createAddressPolicy(allow), resolve)
  const kept = createKeptConnections({ lookup, elapsed, limits })
  const call = createMethodCall(options, kept)
  return { getText: createTextReader(call), fetch: createGuardedFetch(call), stop: kept.close }
}

/** Calls the endpoints that a provider names. */
function createGuardedFetch(call: MethodCall): GuardedFetch {
  return (url, { method, headers, body: given, signal }) => {
    if (method !== 'GET' && method !== 'POST') throw new TypeError(`${method} is not called`)
    const body = typeof given === 'string' || given instanceof URLSearchParams ? `${given}` : undefined
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
    return call(
      { url, method, headers: { ...headers, ...length }, ...(body !== undefined && { body }), signal },
      toResponse,
    )
  }
}

/** Statuses whose answer has no content (Fetch section 2.2.3). */
const WITHOUT_CONTENT = [204, 205, 304]

async function toResponse(response: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0, headers } = response
  const text = await readText(response)
  if (status < 200 || status > 599) {
    throw new OutboundError('the answer has no valid status', { reason: 'connection_failed' })
  }
  return new Response(WITHOUT_CONTENT.includes(status) ? null : text, {
    status,
    headers: { 'Content-Type': headers['content-type'] ?? '' },
  })
}

interface Call {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string | number>>
  readonly body?: string
  /** Ends the call before the time limit of its creator. */
  readonly signal?: AbortSignal | undefined
}

type MethodCall = ReturnType<typeof createMethodCall>

function createMethodCall(
  { allow, timeoutMs, ca, resolve = systemResolve }: Options,
  kept?: KeptConnections,
) {
  const mayCall = createAddressPolicy(allow)
  const lookup = createGuardedLookup(mayCall, resolve)

  return async <T>(
    { url: text, method, headers, body, signal: ends }: Call,
    answered: (response: IncomingMessage) => Promise<T>,
  ): Promise<T> => {
    const url = parse(text)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // An address is connected to without a lookup.
    if (isIP(host) !== 0 && !mayCall(host)) throw refusal()
    const limit = AbortSignal.timeout(timeoutMs)
    const signal = ends === undefined ? limit : AbortSignal.any([limit, ends])
    const options = {
      ...{ method, lookup, signal },
      ...(ca !== undefined && { ca }),
      headers: { ...headers, 'User-Agent': 'signet' },
    }
    const attempt = async (agent: HttpAgent | false): Promise<T> =>
      answered(await send(url, { ...options, agent }, body))
    const agent = kept?.[url.protocol === 'https:' ? 'https' : 'http']
    try {
      // No agent: a connection of its own, made through the lookup above.
      if (agent === undefined) return await attempt(false)
      return await attempt(agent).catch((error: unknown) => {
        if (error instanceof ConnectionEnded) return attempt(false)
        throw error
      })
    } catch (error) {
      throw failure(error, signal)
    }
  }
}

/** A connection that the server closed before it had the call. */
class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded'
}

/** Resolves with the beginning of the answer. Throws ConnectionEnded where a kept connection brought no byte of one. */
function send(url: URL, options: RequestOptions, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((settle, reject) => {
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options)
    let before = 0
    request.on('socket', ({ bytesRead }) => {
      before = bytesRead
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const { reusedSocket, socket } = request
      const isEnded = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      const isUnheard = reusedSocket && isEnded && socket?.bytesRead === before
      reject(isUnheard ? new ConnectionEnded('ended', { cause: error }) : error)
    })
    request.on('response', settle)
    request.end(body)
  })
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) return url
  throw new OutboundError('the URL is neither http nor https', { reason: 'url_invalid' })
}

async function readAway(response: IncomingMessage): Promise<void> {
  let bytes = 0
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length
    if (bytes > READ_BYTES) return
  }
}

async function readText(response: IncomingMessage, limitBytes = TEXT_BYTES): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length
    if (bytes > limitBytes) throw new OutboundError('the answer is too long', { reason: 'too_long' })
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function failure(cause: unknown, signal: AbortSignal): OutboundError {
  if (cause instanceof OutboundError) return cause
  if (signal.aborted) return new OutboundError('no answer in time', { reason: 'timed_out', cause })
  return new OutboundError('no answer', { reason: 'connection_failed', cause })
}
