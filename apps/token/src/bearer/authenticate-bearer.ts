import { createHash } from 'node:crypto'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'
import type { Clock } from '@signet/service-runtime/clock'
import { hasOrigin, readAccessToken, revocationFactsOf } from '@signet/token-format/access-token'
import { ACCESS_TOKEN_SEAL } from '@signet/token-format/sealed-token'
import type { TokenKeys } from '../keys/token-keys.ts'
import type { BearerStore, HeldRole } from '../stores/bearer-store.ts'

/** Who calls a management API. */
export interface AuthenticatedBearer {
  readonly userId: string
  readonly kind: 'human' | 'service_user'
  readonly organizationId: string
  readonly tokenId: string
  /** Those of this moment, never those of when the token was made. */
  readonly roles: readonly HeldRole[]
}

/** The caller that a bearer stands for; undefined for anything expired, revoked, foreign or made up. */
export type AuthenticateBearer = (bearer: string) => Promise<AuthenticatedBearer | undefined>

interface Deps {
  readonly keys: TokenKeys
  readonly revocations: RevocationReader
  readonly directory: DirectoryReader
  readonly bearers: BearerStore
  readonly now: Clock
}

/** The project that stands for the API itself: an access token for it names it in `aud`. */
const API_PROJECT = 'signet'

export function authenticateBearer(deps: Deps): AuthenticateBearer {
  return async (bearer) => {
    // A bearer is told apart by its form alone, so that no form can be mistaken for another.
    const subject = bearer.startsWith(ACCESS_TOKEN_SEAL.prefix)
      ? await sealedSubject(deps, bearer)
      : await personalSubject(deps, bearer)
    if (subject === undefined) return undefined
    const account = await deps.directory.account(subject.userId)
    if (account === undefined || !account.active) return undefined
    const { kind, organizationId } = account
    return { ...subject, kind, organizationId, roles: await deps.bearers.rolesOf(subject.userId) }
  }
}

interface Subject {
  readonly userId: string
  readonly tokenId: string
}

async function sealedSubject({ keys, revocations, now }: Deps, bearer: string): Promise<Subject | undefined> {
  const opened = keys.accessOpener.open(bearer)
  // Whoever stole the sealing ring can make tokens that open, but none that counts here.
  if (opened === undefined || !hasOrigin(opened.plaintext, keys.originKeys())) return undefined
  const token = readAccessToken(opened.plaintext)
  if (token.user === undefined || !token.audience.includes(API_PROJECT)) return undefined
  if (token.expiresAt * 1000 <= now().getTime()) return undefined
  if (await revocations.isEnded(revocationFactsOf(token, opened.kid))) return undefined
  return { userId: token.user.id, tokenId: token.id }
}

async function personalSubject({ bearers, now }: Deps, bearer: string): Promise<Subject | undefined> {
  return bearers.personalAccessToken(createHash('sha256').update(bearer).digest(), now())
}
