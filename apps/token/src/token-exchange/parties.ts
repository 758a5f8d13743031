import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import { InvalidRequestError } from '@signet/protocol/errors'
import { parseTokenType, type TokenType } from '@signet/protocol/grant-types'
import type { Confirmation } from '@signet/tokens/access-token'
import {
  createAccessTokenParty,
  createClientJwtParty,
  createIdTokenParty,
  createUserIdParty,
  type Party,
  type PartyDeps,
  type ReadParty,
} from './party.ts'

interface PresentedTokens {
  readonly subject_token: string
  readonly subject_token_type: string
  readonly actor_token?: string | undefined
  readonly actor_token_type?: string | undefined
}

export interface Parties {
  readonly subject: Party
  readonly actor?: Party
}

/** The client that asks for an exchange, and the keys that it has proven. */
interface Exchanger extends ProvenKeys {
  readonly client: Client
}

interface ProvenKeys {
  readonly cnf: Confirmation | undefined
  /** Thumbprint of the certificate of the connection. */
  readonly certificate: string | undefined
}

type ReaderOf = (deps: PartyDeps) => ReadParty
/** Reader of subjects that only the actor authenticates. */
type ReaderBesideActor = (deps: PartyDeps, actor: Party) => ReadParty

/** The token types of docs/spec 4.14. A type that is in neither table is not allowed. */
const AS_ACTOR: Partial<Record<TokenType, ReaderOf>> = {
  accessToken: createAccessTokenParty,
  idToken: createIdTokenParty,
}
const AS_SUBJECT: Partial<Record<TokenType, ReaderOf>> = AS_ACTOR
const AS_SUBJECT_OF_ACTOR: Partial<Record<TokenType, ReaderBesideActor>> = {
  jwt: createClientJwtParty,
  userId: createUserIdParty,
}

/** Proves both sides of an exchange. Throws InvalidRequestError (RFC 8693 section 2.2.2) for anything else. */
export async function requireParties(
  deps: PartyDeps,
  tokens: PresentedTokens,
  { client, ...proven }: Exchanger,
  now: Date,
): Promise<Parties> {
  const actor = await requireActor(deps, tokens, client, now)
  requireKeyOf(actor, proven, 'actor_token')
  const type = parseTokenType(tokens.subject_token_type)
  const alone = type && AS_SUBJECT[type]
  const besideActor = type && AS_SUBJECT_OF_ACTOR[type]
  if (besideActor !== undefined && actor === undefined) {
    throw refused('this subject_token_type needs an actor_token', 'actor_missing')
  }
  const read = alone?.(deps) ?? (actor && besideActor?.(deps, actor))
  if (read === undefined) throw refused('subject_token_type is not allowed', 'subject_token_type')
  const subject = await read(tokens.subject_token, client, now)
  if (subject === undefined || !(await isInAudienceForExchange(deps, client, subject))) {
    throw refused(
      'subject_token is not valid: unknown, expired, revoked or not for this client',
      'subject_token',
    )
  }
  requireKeyOf(subject, proven, 'subject_token')
  return actor === undefined ? { subject } : { subject, actor }
}

async function requireActor(
  deps: PartyDeps,
  { actor_token, actor_token_type }: PresentedTokens,
  client: Client,
  now: Date,
): Promise<Party | undefined> {
  if (actor_token === undefined && actor_token_type === undefined) return undefined
  if (actor_token === undefined || actor_token_type === undefined) {
    throw refused('actor_token and actor_token_type belong together', 'actor_token_type_missing')
  }
  if (isPublic(client)) {
    throw refused(
      'a client that does not authenticate may not present an actor_token',
      'actor_of_public_client',
    )
  }
  const type = parseTokenType(actor_token_type)
  const read = type && AS_ACTOR[type]?.(deps)
  if (read === undefined) throw refused('actor_token_type is not allowed', 'actor_token_type')
  const actor = await read(actor_token, client, now)
  if (actor !== undefined && (await isInAudienceForExchange(deps, client, actor))) return actor
  throw refused('actor_token is not valid: unknown, expired, revoked or not for this client', 'actor_token')
}

/** RFC 9449 section 7.1, RFC 8705 section 3: a bound token is worth nothing without its key, here as at every resource. */
function requireKeyOf(party: Party | undefined, proven: ProvenKeys, parameter: string): void {
  if (party?.cnf === undefined) return
  const { jkt, 'x5t#S256': thumbprint } = party.cnf
  if (jkt === undefined ? thumbprint === proven.certificate : jkt === proven.cnf?.jkt) return
  throw refused(
    jkt === undefined
      ? `${parameter} is bound to a certificate; call with that certificate`
      : `${parameter} is bound to a key; send a DPoP proof of that key with the request`,
    'key_of_presented_token',
  )
}

function refused(description: string, reason: string): InvalidRequestError {
  return new InvalidRequestError(description, { reason })
}

/** A client without authentication: its id is public, so any caller can claim to be it. */
function isPublic({ authMethod }: Client): boolean {
  return authMethod === 'none'
}

/**
 * The audience check of a token exchange: whether the token that a client presents is meant for it (RFC 8693 section 2.1
 * warns of clients that merely received it). A public client exchanges only what was issued to itself. Any other owns an access token or stands in its
 * audience, itself or by its project, or is a client that a project of that audience lists; a personal access token is
 * for the applications of its user's organization.
 */
async function isInAudienceForExchange(
  { directory }: { readonly directory: Pick<DirectoryReader, 'project'> },
  client: Client,
  { form, account }: Party,
): Promise<boolean> {
  if (isPublic(client)) return form.kind !== 'personal' && form.issuedTo === client.clientId
  if (form.kind === 'personal') return client.organizationId === account.organizationId
  if (form.issuedTo === client.clientId) return true
  const { audience } = form
  if (audience.includes(client.clientId)) return true
  if (client.projectId !== null && audience.includes(client.projectId)) return true
  const projects = await Promise.all(audience.map((id) => directory.project(id)))
  return projects.some((project) => project?.allowedAudiences.includes(client.clientId))
}
