// Reads the documents of clients and keeps them for a bounded time.

import { addressBlock, createLeakyBucket } from '@signet/http/rate-limit'
import type { GetDocument } from '@signet/platform/outbound-http/http-calls'
import type { Clock } from '@signet/platform/runtime/clock'
import { RateLimitedError, TemporarilyUnavailableError } from '@signet/protocol/errors'
import { isClientIdUrl } from '@signet/tokens/identifiers'
import { LRUCache } from 'lru-cache'
import { type ClientDocument, ClientDocumentError, readClientDocument } from './client-document.ts'

interface Options {
  /** Refuses private addresses, follows no redirect, and has a limit of time and size. */
  readonly getDocument: GetDocument
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number
  readonly now: Clock
}

export interface ClientDocuments {
  /**
   * The document of a client_id. Concurrent calls share one reading. Rejects with ClientDocumentError for one that cannot be read or
   * is refused, and with TemporarilyUnavailableError while too many are being read.
   */
  find(clientId: string): Promise<ClientDocument>
  /** Counts a request that makes this service read a document, by its network. Throws RateLimitedError. */
  count(clientId: string, clientAddress: string): void
}

const DEFAULT_SECONDS = 300
const LEAST_SECONDS = 30
const MOST_SECONDS = 3_600
/** A client whose document was repaired gets in soon. */
const REFUSED_SECONDS = 10
const MOST_DOCUMENTS = 1_000
/** More than one network may begin at once, so that slow hosts of one network leave room for others. */
const MOST_READINGS = 64
/** Documents that one network has this service read at once, and in each minute after that. */
const READINGS_OF_NETWORK = 20

type Known = { readonly until: number } & (
  | { readonly document: ClientDocument }
  | { readonly refused: ClientDocumentError }
)

/** Keeps a document as long as `Cache-Control` says, between 30 seconds and an hour, and a refusal for ten seconds. */
export function createClientDocuments({ getDocument, elapsed, now }: Options): ClientDocuments {
  const known = new LRUCache<string, Known>({ max: MOST_DOCUMENTS })
  const running = new Map<string, Promise<Known>>()
  const readings = createLeakyBucket(READINGS_OF_NETWORK, () => now().getTime(), 60_000)

  async function read(clientId: string): Promise<Known> {
    const after = (seconds: number) => elapsed() + seconds * 1_000
    try {
      const { status, mediaType, cacheControl, text } = await getDocument(clientId)
      if (status !== 200)
        throw new ClientDocumentError('must be answered with status 200, without a redirect')
      if (!/^application\/([^/]+\+)?json$/.test(mediaType))
        throw new ClientDocumentError('must have the media type application/json')
      const document = readClientDocument(text, clientId)
      return { document, until: after(lifetimeSeconds(cacheControl)) }
    } catch (error) {
      const refused =
        error instanceof ClientDocumentError
          ? error
          : new ClientDocumentError('could not be read from its host', { cause: error })
      return { refused, until: after(REFUSED_SECONDS) }
    }
  }

  function readOnce(clientId: string): Promise<Known> {
    const before = running.get(clientId)
    if (before !== undefined) return before
    if (running.size >= MOST_READINGS) {
      throw new TemporarilyUnavailableError('Too many documents of clients are being read. Try again soon.', {
        reason: 'client_documents_busy',
      })
    }
    const reading = read(clientId)
      .then((found) => {
        known.set(clientId, found)
        return found
      })
      .finally(() => running.delete(clientId))
    running.set(clientId, reading)
    return reading
  }

  const current = (clientId: string): Known | undefined => {
    const found = known.get(clientId)
    return found !== undefined && elapsed() < found.until ? found : undefined
  }

  return {
    async find(clientId) {
      const found = current(clientId) ?? (await readOnce(clientId))
      if ('document' in found) return found.document
      throw found.refused
    },
    count(clientId, clientAddress) {
      if (current(clientId) !== undefined) return
      const network = addressBlock(clientAddress)
      const retryAfterSeconds = readings.waitSeconds(network)
      if (retryAfterSeconds > 0) {
        throw new RateLimitedError(
          'Too many clients were named from this network address. Try again later.',
          {
            reason: 'client_documents_limited',
            retryAfterSeconds,
          },
        )
      }
      readings.fill(network)
    },
  }
}

/** RFC 9111 section 5.2.2, within bounds. */
function lifetimeSeconds(cacheControl: string): number {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return LEAST_SECONDS
  const stated = /(?:^|[,\s])max-age="?(\d{1,9})/i.exec(cacheControl)?.[1]
  if (stated === undefined) return DEFAULT_SECONDS
  return Math.min(Math.max(Number(stated), LEAST_SECONDS), MOST_SECONDS)
}

/** Counts a request that states a client_id, where that may be the URL of a document. Throws RateLimitedError. */
export type CountDocument = (clientId: string | undefined, clientAddress: string) => void

export function createDocumentCount(documents: Pick<ClientDocuments, 'count'> | undefined): CountDocument {
  return (clientId, clientAddress) => {
    if (clientId !== undefined && isClientIdUrl(clientId)) documents?.count(clientId, clientAddress)
  }
}
