import { createHash } from 'node:crypto'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { InstanceSettings } from '@signet/directory-reader/views'
import type { Clock } from '@signet/platform/runtime/clock'
import { ACR_MFA, reachesAcr } from '@signet/protocol/authorization-parameters'
import { API_PROJECT } from '@signet/protocol/scopes'
import { personalTokenKeys, restsOnImpersonation } from '@signet/revocation-reader/endings'
import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'
import { hasEnded } from '@signet/revocation-reader/revocation-reader'
import { type Actor, type Confirmation, hasOrigin } from '@signet/tokens/access-token'
import { bearerForm, type ReadAccessToken } from '@signet/tokens/access-token-reader'
import type { RequireProof } from '@signet/tokens/dpop/require-proof'
import type { TokenKeys } from '../token-keys.ts'
import type { BearerStore, HeldRole } from './bearer.repository.ts'

/** Caller of a management API. */
interface AuthenticatedBearer {
  readonly userId: string
  readonly kind: 'human' | 'service_user'
  readonly organizationId: string
  readonly tokenId: string
  /** Present roles, never those of the time when the token was made. */
  readonly roles: readonly HeldRole[]
  readonly signIn: SignIn
  /** Absent for a personal access token. */
  readonly clientId?: string
  /** Actors for the user, the latest first. */
  readonly act: readonly string[]
  /**
   * The property that the sign-in lacks for roles of the instance to count; until then these roles are left
   * out.
   */
  readonly demand?: SignInDemand
}

/** Reason for refusing a bearer: it is no valid token of Signet, or a rule refuses it that its holder may know. */
export type BearerRefusal = 'invalid' | 'key_not_proven' | 'client_not_marked' | 'impersonated'

/** The request that presents a token by the scheme DPoP (RFC 9449 section 7.1). */
interface DpopPresentation {
  /** Empty without a header `DPoP`. */
  readonly proof: string
  readonly method: string
  readonly path: string
}

interface KeyPresentation {
  /** Absent where the scheme is Bearer. */
  readonly dpop?: DpopPresentation | undefined
  /** Thumbprint of the certificate of the connection. */
  readonly certificate?: string | undefined
}

/** The caller that a bearer stands for, or why it stands for none. Throws DpopProofError for a proof that is refused. */
export type AuthenticateBearer = (
  bearer: string,
  presented?: KeyPresentation,
) => Promise<AuthenticatedBearer | BearerRefusal>

interface Deps {
  readonly issuer: string
  readonly requireProof: RequireProof
  readonly keys: Pick<TokenKeys, 'originKeys'>
  readonly readAccessToken: ReadAccessToken
  readonly revocations: RevocationReader
  readonly directory: DirectoryReader
  readonly bearers: BearerStore
  readonly now: Clock
}

export function createAuthenticateBearer(deps: Deps): AuthenticateBearer {
  return async (bearer, presented = {}) => {
    const subject =
      bearerForm(bearer) === 'personal'
        ? await personalSubject(deps, bearer)
        : await accessTokenSubject(deps, bearer)
    if (subject === undefined) return 'invalid'
    if (!(await isKeyProven(deps, bearer, subject.cnf, presented))) return 'key_not_proven'
    const account = await deps.directory.account(subject.userId)
    if (account === undefined || !account.active) return 'invalid'
    const { kind, organizationId } = account
    const settings = await deps.directory.settings()
    // No setting lets an administrator act here as another person whose session was opened by an impersonation.
    const actsForbidden = subject.isImpersonation || !settings.allowImpersonatedApiCalls
    if (subject.act.length > 0 && actsForbidden) return 'impersonated'
    if (!(await isMarked(deps, subject, kind))) return 'client_not_marked'
    const held = await deps.bearers.rolesOf(subject.userId)
    const { onlyRoles, cnf: _, isImpersonation: __, ...bearerSubject } = subject
    const roles = onlyRoles === undefined ? held : held.filter(({ role }) => onlyRoles.includes(role))
    const demand = kind === 'human' ? signInDemand(settings, subject.signIn, deps.now()) : undefined
    const caller = { ...bearerSubject, kind, organizationId }
    if (demand === undefined || !roles.some(isOfInstance)) return { ...caller, roles }
    return { ...caller, roles: roles.filter((role) => !isOfInstance(role)), demand }
  }
}

/**
 * RFC 9449 section 7.1: a token that is bound to a key counts by the scheme DPoP with a proof of it, every other one by Bearer; RFC
 * 8705 section 3: that of a certificate with this certificate.
 */
async function isKeyProven(
  { issuer, requireProof, now }: Deps,
  accessToken: string,
  cnf: Confirmation | undefined,
  { dpop, certificate }: KeyPresentation,
): Promise<boolean> {
  if (cnf?.jkt === undefined) {
    return dpop === undefined && (cnf === undefined || cnf['x5t#S256'] === certificate)
  }
  if (dpop === undefined) return false
  const { proof, method, path } = dpop
  const { jkt } = await requireProof(proof, { method, url: `${issuer}${path}`, accessToken }, now())
  return jkt === cnf.jkt
}

const isOfInstance = ({ objectId }: HeldRole): boolean => objectId === undefined

/**
 * Whether the token may call the API. A service user decides for itself; tokens of users, and exchanged
 * tokens, count only while an IAM_OWNER lets their client call the API.
 */
async function isMarked(
  { directory }: Deps,
  { clientId, hasApplication }: Subject,
  kind: AuthenticatedBearer['kind'],
): Promise<boolean> {
  if (clientId === undefined || (kind === 'service_user' && !hasApplication)) return true
  const client = await directory.client(clientId)
  return client?.active === true && client.kind === 'application' && client.mayCallApi
}

type Subject = Pick<AuthenticatedBearer, 'userId' | 'tokenId' | 'clientId' | 'act' | 'signIn'> & {
  /** Whether an application got the token, and not the service user itself. */
  readonly hasApplication: boolean
  /** Whether it rests on the session of an administrator who signed in as the user. */
  readonly isImpersonation?: boolean
  /** Roles to which a personal access token is narrowed. */
  readonly onlyRoles?: readonly string[]
  readonly cnf?: Confirmation
}

async function accessTokenSubject(
  { keys, readAccessToken, revocations, now }: Deps,
  bearer: string,
): Promise<Subject | undefined> {
  const read = await readAccessToken(bearer)
  if (read === undefined) return undefined
  const { token, kid, sealed } = read
  // The key ring `access-seal` alone makes tokens that open; the origin MAC proves that `token` issued them.
  if (sealed !== undefined && !hasOrigin(sealed, keys.originKeys())) return undefined
  if (token.user === undefined || !token.audience.includes(API_PROJECT)) return undefined
  if (token.expiresAt * 1000 <= now().getTime()) return undefined
  if (await hasEnded(revocations, { token, kid })) return undefined
  const { authTime, acr, cnf } = token
  return {
    ...(cnf !== undefined && { cnf }),
    userId: token.user.id,
    tokenId: token.id,
    clientId: token.clientId,
    hasApplication: token.client !== undefined || token.origins !== undefined,
    act: actorIds(token.act),
    isImpersonation: restsOnImpersonation(token.origins),
    signIn: { ...(authTime !== undefined && { authTime }), ...(acr !== undefined && { acr }) },
  }
}

async function personalSubject(
  { bearers, revocations, now }: Deps,
  bearer: string,
): Promise<Subject | undefined> {
  const found = await bearers.personalAccessToken(createHash('sha256').update(bearer).digest(), now())
  if (found === undefined || (await revocations.isEnded(personalTokenKeys(found.userId, found.tokenId)))) {
    return undefined
  }
  return { ...found, hasApplication: false, act: [], signIn: {} }
}

function actorIds(actor: Actor | undefined): readonly string[] {
  return actor === undefined ? [] : [actor.sub, ...actorIds(actor.act)]
}

/** The claims of an access token about its sign-in; a personal access token has none. */
interface SignIn {
  /** Seconds since 1970. */
  readonly authTime?: number
  readonly acr?: string
}

/** The requirements for a new sign-in. */
interface SignInDemand {
  readonly maxAgeSeconds?: number
  readonly acrValues: readonly string[]
}

/**
 * The requirements of the instance for its roles that a sign-in does not meet; undefined when it meets all.
 */
function signInDemand(
  { iamSignInMaxAgeSeconds, iamRequiresMfa }: InstanceSettings,
  { authTime, acr }: SignIn,
  now: Date,
): SignInDemand | undefined {
  const isOld =
    iamSignInMaxAgeSeconds !== null &&
    (authTime === undefined || authTime + iamSignInMaxAgeSeconds < Math.floor(now.getTime() / 1000))
  const isWeak = iamRequiresMfa && !reachesAcr(acr, ACR_MFA)
  if (!isOld && !isWeak) return undefined
  return {
    ...(iamSignInMaxAgeSeconds !== null && { maxAgeSeconds: iamSignInMaxAgeSeconds }),
    acrValues: iamRequiresMfa ? [ACR_MFA] : [],
  }
}
