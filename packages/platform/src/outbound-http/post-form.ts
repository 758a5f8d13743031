import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type BlockList, isIP } from 'node:net'
import { addressPolicy } from './address-policy.ts'
import { guardedLookup, OutboundError, type Resolve, refusal, systemResolve } from './guarded-agents.ts'

/**
 * POSTs a form and answers the HTTP status; a redirect is an answer. Rejects with OutboundError when there was none.
 */
export type PostForm = (url: string, form: Readonly<Record<string, string>>) => Promise<number>

interface PostFormOptions {
  /** Networks beside the public Internet that may be called. */
  readonly allow: BlockList
  /** For the whole call, from the name to the last byte of the answer. */
  readonly timeoutMs: number
  readonly resolve?: Resolve
}

/** The part of a response that is read, so that the other side does not see a broken connection. It is discarded. */
const READ_BYTES = 65_536

/** Calls URLs that applications register. */
export function createPostForm({ allow, timeoutMs, resolve = systemResolve }: PostFormOptions): PostForm {
  const mayCall = addressPolicy(allow)
  const lookup = guardedLookup(mayCall, resolve)

  return async (text, form) => {
    const url = parse(text)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // An address is connected to without a lookup.
    if (isIP(host) !== 0 && !mayCall(host)) throw refusal()
    const body = new URLSearchParams(form).toString()
    const signal = AbortSignal.timeout(timeoutMs)
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    return new Promise((settle, reject) => {
      const fail = (error: unknown) => reject(failure(error, signal))
      // No agent: a connection of its own, made through the lookup above.
      const request = send(url, {
        method: 'POST',
        agent: false,
        lookup,
        signal,
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          'Content-Length': Buffer.byteLength(body),
          'User-Agent': 'signet',
        },
      })
      request.on('error', fail)
      request.on('response', (response) => {
        // The status is the answer, also when what follows it breaks off.
        const answered = () => settle(response.statusCode ?? 0)
        readAway(response).then(answered, answered)
      })
      request.end(body)
    })
  }
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

function failure(cause: unknown, signal: AbortSignal): OutboundError {
  if (cause instanceof OutboundError) return cause
  if (signal.aborted) return new OutboundError('no answer in time', { reason: 'timed_out', cause })
  return new OutboundError('no answer', { reason: 'connection_failed', cause })
}
