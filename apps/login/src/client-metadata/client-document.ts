// The document of a client that no organization registered: draft-ietf-oauth-client-id-metadata-document sections 4 and 4.1.

import { readKeySource } from '@signet/protocol/document-keys'
import { redirectUriProblem } from '@signet/protocol/redirect-uri'
import { z } from 'zod'

/** The members of a document that count here. */
export interface ClientDocument {
  readonly clientId: string
  /** Host of the document and, in parentheses, the name that the document states. */
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly mayRefresh: boolean
  readonly authMethod: 'none' | 'private_key_jwt'
}

/** A document that is refused. The message names the member and its rule, and holds no value. */
export class ClientDocumentError extends Error {
  override readonly name = 'ClientDocumentError'
}

const MOST_REDIRECT_URIS = 20
const NAME_CHARACTERS = 80
/** Characters of host and name together, without the parentheses; an application has at most 200. */
const SHOWN_CHARACTERS = 197
/** Control and invisible characters, and those that turn the direction of text. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu
/** Parentheses and brackets of all scripts. */
const BRACKETS = /[\p{Ps}\p{Pe}]/gu

const documentSchema = z.object({
  client_id: z.string(),
  client_name: z.string().optional(),
  redirect_uris: z.array(z.string().max(2_000)).min(1).max(MOST_REDIRECT_URIS),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
})

/** Reads the document of a client_id. Throws ClientDocumentError. */
export function readClientDocument(text: string, clientId: string): ClientDocument {
  const json = parseObject(text)
  if (Object.keys(json).some((name) => name.startsWith('client_secret')))
    throw new ClientDocumentError('must hold no client_secret: every reader of the document would know it')
  const read = documentSchema.safeParse(json)
  if (!read.success) {
    const member = read.error.issues[0]?.path[0]
    throw new ClientDocumentError(`${String(member)} is missing or has another form than RFC 7591 section 2`)
  }
  const document = read.data
  if (document.client_id !== clientId)
    throw new ClientDocumentError('client_id must equal the URL of the document, character by character')
  const authMethod = requireAuthMethod(json, document)
  requireRedirectUris(document.redirect_uris)
  const { grant_types: grantTypes = ['authorization_code'], response_types: responseTypes = ['code'] } =
    document
  if (!grantTypes.includes('authorization_code'))
    throw new ClientDocumentError('grant_types must include authorization_code')
  if (!responseTypes.includes('code')) throw new ClientDocumentError('response_types must include code')
  return {
    clientId,
    name: shownName(new URL(clientId).host, document.client_name ?? ''),
    redirectUris: document.redirect_uris,
    mayRefresh: grantTypes.includes('refresh_token'),
    authMethod,
  }
}

/** The keys are read where the client authenticates; here the document only has to say where they are. */
function requireAuthMethod(
  json: object,
  { client_id: clientId, token_endpoint_auth_method: method = 'none' }: z.output<typeof documentSchema>,
): ClientDocument['authMethod'] {
  // RFC 7591 section 2 has client_secret_basic for a document without it, which has no meaning without a secret.
  if (method === 'none') return method
  if (method !== 'private_key_jwt')
    throw new ClientDocumentError('token_endpoint_auth_method must be none or private_key_jwt')
  const read = readKeySource({ ...json }, clientId)
  if ('problem' in read) throw new ClientDocumentError(read.problem)
  return method
}

function parseObject(text: string): object {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new ClientDocumentError('must be JSON')
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  throw new ClientDocumentError('must be a JSON object')
}

function requireRedirectUris(redirectUris: readonly string[]): void {
  for (const uri of redirectUris) {
    const problem = redirectUriProblem(uri, { type: 'native', devMode: false })
    if (problem !== undefined) throw new ClientDocumentError(`each of redirect_uris ${problem}`)
  }
}

/** The host comes first, since anyone may state any name. The parentheses around the name are the only ones, so it ends where they do. */
function shownName(host: string, stated: string): string {
  const visible = stated.replace(BRACKETS, ' ').replace(INVISIBLE, '').replace(/\s+/g, ' ').trim()
  // Whole characters: PostgreSQL does not take half of one.
  const name = [...visible].slice(0, Math.min(NAME_CHARACTERS, SHOWN_CHARACTERS - host.length)).join('')
  return name === '' ? host : `${host} (${name})`
}
