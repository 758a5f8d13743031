import { createHash } from 'node:crypto'
import { bearerForm, type ReadAccessToken } from '@signet/access-token-reader/access-token-reader'
import { hasEnded } from '@signet/access-token-reader/has-ended'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { API_PROJECT } from '@signet/oauth-protocol/reserved-scopes'
import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'
import type { Clock } from '@signet/service-runtime/clock'
import { hasOrigin } from '@signet/token-format/access-token'
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
  readonly keys: Pick<TokenKeys, 'originKeys'>
  readonly readAccessToken: ReadAccessToken
  readonly revocations: RevocationReader
  readonly directory: DirectoryReader
  readonly bearers: BearerStore
  readonly now: Clock
}

export function authenticateBearer(deps: Deps): AuthenticateBearer {
  return async (bearer) => {
    const subject =
      bearerForm(bearer) === 'personal'
        ? await personalSubject(deps, bearer)
        : await accessTokenSubject(deps, bearer)
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

async function accessTokenSubject(
  { keys, readAccessToken, revocations, now }: Deps,
  bearer: string,
): Promise<Subject | undefined> {
  const read = await readAccessToken(bearer)
  if (read === undefined) return undefined
  const { token, kid, sealed } = read
  // Whoever stole the sealing ring can make tokens that open, but none that counts here.
  if (sealed !== undefined && !hasOrigin(sealed, keys.originKeys())) return undefined
  if (token.user === undefined || !token.audience.includes(API_PROJECT)) return undefined
  if (token.expiresAt * 1000 <= now().getTime()) return undefined
  if (await hasEnded(revocations, { token, kid })) return undefined
  return { userId: token.user.id, tokenId: token.id }
}

async function personalSubject({ bearers, now }: Deps, bearer: string): Promise<Subject | undefined> {
  return bearers.personalAccessToken(createHash('sha256').update(bearer).digest(), now())
}
