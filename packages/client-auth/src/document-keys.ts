// Keys of the clients whose client_id is the URL of their document (docs/decisions/0100): read by the services at which such a client
// authenticates, and kept.

import type { BlockList } from 'node:net'
import type { RegisteredKey } from '@signet/directory-reader/views'
import { type ClientMetadata, isClientHost } from '@signet/platform/config/client-metadata-settings'
import { createGetDocument, type GetDocument } from '@signet/platform/outbound-http/http-calls'
import { createKeptReads } from '@signet/platform/outbound-http/kept-reads'
import { clientIdUrlProblem } from '@signet/protocol/client-id-url'
import { type KeySource, keySetProblem, readKeySource } from '@signet/protocol/document-keys'
import { InvalidClientError, TemporarilyUnavailableError } from '@signet/protocol/errors'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { readKeySet } from './issuer-keys.ts'

/**
 * The keys that the document of a client names. Throws InvalidClientError for a document that is refused or names none, and
 * TemporarilyUnavailableError when they are unknown and cannot be read now.
 */
export type FindDocumentKeys = (
  clientId: string,
  kid: string | undefined,
) => Promise<readonly RegisteredKey[]>

interface Options {
  readonly getDocument: GetDocument
  /** Reads the key set; it may be longer than a document. */
  readonly getKeySet: GetDocument
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number
  readonly hosts: ClientMetadata['hosts']
  readonly issuer: string
}

const DOCUMENT_BYTES = 5 * 1024
const KEY_SET_BYTES = 32 * 1024
/** Time limit for each of the two documents, which a client waits for. */
const TIMEOUT_MS = 3_000

/** An answer of the host of a client: its keys, or the rule that it breaks. */
type Known = { readonly keys: readonly RegisteredKey[] } | { readonly problem: string }

/**
 * Reads keys as those of issuers are read: again after ten minutes, and for an unknown `kid` at most once a minute; while the host
 * does not answer, for an hour. A document that answers and names no keys ends the use of those before.
 */
export function createDocumentKeys({
  getDocument,
  getKeySet,
  elapsed,
  hosts,
  issuer,
}: Options): FindDocumentKeys {
  const findKept = createKeptReads({ read: (url) => readKeys({ getDocument, getKeySet }, url), elapsed })
  return async (clientId, kid) => {
    const problem = documentUrlProblem(clientId, { hosts, issuer })
    if (problem !== undefined) throw refusal(`client_id ${problem}`, problem)
    const isEnough = (known: Known) =>
      'keys' in known && (kid === undefined || known.keys.some((key) => key.kid === kid))
    const { value } = await findKept(clientId, isEnough).catch((cause: unknown) => {
      throw new TemporarilyUnavailableError('The keys of the client cannot be read from its host now', {
        reason: 'client_keys_unknown',
        cause,
      })
    })
    if ('keys' in value) return value.keys
    throw refusal(`The document at the URL of client_id is refused: ${value.problem}`, value.problem)
  }
}

/** Reads keys by calls that refuse private addresses outside of `allow`; undefined without clients with a URL. */
export function createOutboundDocumentKeys(
  metadata: Pick<ClientMetadata, 'hosts'> | undefined,
  { allow, issuer }: { readonly allow: BlockList; readonly issuer: string },
): FindDocumentKeys | undefined {
  if (metadata === undefined) return undefined
  const get = (limitBytes: number) => createGetDocument({ allow, timeoutMs: TIMEOUT_MS, limitBytes })
  return createDocumentKeys({
    getDocument: get(DOCUMENT_BYTES),
    getKeySet: get(KEY_SET_BYTES),
    elapsed: () => performance.now(),
    hosts: metadata.hosts,
    issuer,
  })
}

/** The rule that the URL of a document breaks here; undefined for one that may be read. */
export function documentUrlProblem(
  clientId: string,
  { hosts, issuer }: Pick<Options, 'hosts' | 'issuer'>,
): string | undefined {
  const own = new URL(issuer)
  const problem = clientIdUrlProblem(clientId, { mayBeLoopback: isLoopbackHost(own.hostname) })
  if (problem !== undefined) return problem
  const { host, hostname } = new URL(clientId)
  if (host === own.host) return 'must not name this service'
  return isClientHost(hostname, hosts) ? undefined : 'names a host that this service does not admit'
}

async function readKeys(
  { getDocument, getKeySet }: Pick<Options, 'getDocument' | 'getKeySet'>,
  clientId: string,
): Promise<Known> {
  const document = await readJson(getDocument, clientId)
  if (document === undefined) return { problem: 'it is not there, or no JSON object' }
  if (document.client_id !== clientId || document.token_endpoint_auth_method !== 'private_key_jwt')
    return { problem: 'client_id is another one, or token_endpoint_auth_method is not private_key_jwt' }
  const read = readKeySource(document, clientId)
  if ('problem' in read) return read
  const { jwks, jwksUri } = read.source
  const set = jwksUri === undefined ? jwks : await readJson(getKeySet, jwksUri)
  const problem = keySetProblem(set)
  return problem === undefined ? { keys: usableKeys(set, read.source) } : { problem }
}

/** Returns undefined for an answer that is no document, and throws where another answer may come soon. */
async function readJson(
  get: GetDocument,
  url: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { status, mediaType, text } = await get(url)
  if (status === 404 || status === 410) return undefined
  if (status !== 200) throw new Error(`the host of a client answered ${status}`)
  if (!/^application\/([^/]+\+)?json$/.test(mediaType)) return undefined
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? (json as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

/** The keys for the algorithm that the document names. */
const usableKeys = (set: unknown, { algorithm }: KeySource): readonly RegisteredKey[] =>
  readKeySet(set).flatMap((key) => {
    if (algorithm === undefined) return [key]
    const { alg = algorithm } = key.jwk as { readonly alg?: string }
    return alg === algorithm ? [{ ...key, jwk: { ...key.jwk, alg } }] : []
  })

const refusal = (description: string, rule: string) =>
  new InvalidClientError(description, {
    ...{ reason: 'client_document_refused', basicTried: false },
    values: { others: { rule } },
  })
