import { createHash } from 'node:crypto'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { type AuthorizationCode, sealAuthorizationCode } from '@signet/tokens/authorization-code'
import { newOpaqueIdentifier, type RandomBytes } from '@signet/tokens/identifiers'
import { requireProjectAccess } from '../grants/project-checks.ts'
import type { TokenKeys } from '../keys/token-keys.ts'
import { dayOf } from '../partitions/partition-plan.ts'
import { audienceOf, requireAudiences } from './audience.ts'
import { type AuthorizedRequest, authorizationOf } from './authorized-request.ts'

/** RFC 9700 section 4.5 wants it short; a client redeems within a second or two. */
const CODE_LIFETIME_SECONDS = 60

export interface CodeRequest extends AuthorizedRequest {
  readonly codeChallenge?: string
}

export type IssueCodeResult =
  | { readonly outcome: 'issued'; readonly code: string; readonly expiresAt: Date }
  | { readonly outcome: 'client_unknown' }
  /** Scopes, nonce and the rest do not fit into a code that every client can carry. */
  | { readonly outcome: 'too_long' }

export type IssueCode = (request: CodeRequest) => Promise<IssueCodeResult>

/**
 * Makes authorization codes (RFC 6749 section 4.1.2); nothing is stored until one is redeemed. Throws InvalidScopeError
 * for an audience that the application may not name, AccessDeniedError for a user whom a project of it keeps out.
 */
export function issueCode(deps: {
  readonly directory: DirectoryReader
  readonly keys: TokenKeys
  readonly random: RandomBytes
  readonly generation: () => number
  readonly now: () => Date
}): IssueCode {
  return async (request) => {
    const client = await deps.directory.client(request.clientId)
    if (client === undefined || !client.active) return { outcome: 'client_unknown' }
    await requireAudiences(deps.directory, client, request.scopes)
    const audience = audienceOf(client, request.scopes)
    await requireProjectAccess(deps.directory, audience, request.session.user.id)
    const now = deps.now()
    const expiresAt = Math.floor(now.getTime() / 1000) + CODE_LIFETIME_SECONDS
    const code: AuthorizationCode = {
      id: newOpaqueIdentifier(deps.random),
      day: dayOf(now),
      expiresAt,
      clientId: request.clientId,
      redirectUriHash: redirectUriHash(request.redirectUri),
      ...(request.nonce !== undefined && { nonce: request.nonce }),
      ...(request.codeChallenge !== undefined && { codeChallenge: request.codeChallenge }),
      ...authorizationOf(request, client, deps.generation()),
    }
    const sealed = sealAuthorizationCode(code, deps.keys.codeSealer())
    if (sealed === undefined) return { outcome: 'too_long' }
    return { outcome: 'issued', code: sealed, expiresAt: new Date(expiresAt * 1000) }
  }
}

/** What a code remembers of the redirect URI. */
export function redirectUriHash(redirectUri: string): string {
  return createHash('sha256').update(redirectUri).digest('base64url')
}
