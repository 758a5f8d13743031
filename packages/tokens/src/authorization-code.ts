import { DETAILS_BYTES_LIMIT, type GrantedDetail } from '@signet/protocol/authorization-details'
import type { Actor, EpochMark, RevocationKeys } from './access-token.ts'
import type { Opener, Sealer } from './sealed-token.ts'

/** The longest code that every client and proxy is known to carry in a URL, in characters. */
export const LONGEST_CODE = 2_000
/** A code with authorization details, the ids of their projects, and the members around them, in base64. */
const LONGEST_CODE_WITH_DETAILS = LONGEST_CODE + Math.ceil(((DETAILS_BYTES_LIMIT + 1_000) * 4) / 3)

/** The content of an authorization code (RFC 6749 section 4.1.2). Times are whole seconds since 1970. */
export interface AuthorizationCode {
  readonly id: string
  /** Day of issue, counted from 1970: the partition that its redemption is recorded in. */
  readonly day: number
  readonly expiresAt: number
  readonly clientId: string
  /** SHA-256 of the redirect URI, base64url: the URI itself may be long. Absent for the code of a device. */
  readonly redirectUriHash?: string
  /** SHA-256 of the device code that this code answers (RFC 8628), base64url; the code never leaves this service. */
  readonly device?: string
  readonly scopes: readonly string[]
  readonly nonce?: string
  readonly codeChallenge?: string
  /** The key that must be proven at the redemption (RFC 9449 section 10). */
  readonly dpopJkt?: string
  /** Rich authorization (RFC 9396). */
  readonly details?: readonly GrantedDetail[]
  /** Claims that were asked for by name. */
  readonly userinfoClaims?: readonly string[]
  readonly idTokenClaims?: readonly string[]
  readonly sid: string
  readonly authTime: number
  readonly amr: readonly string[]
  readonly acr?: string
  readonly user: EpochMark
  readonly client: EpochMark
  readonly userOrganization: EpochMark
  readonly clientOrganization: EpochMark
  /** Generation of the database when the code was issued; absent: 0. */
  readonly generation?: number
  /** Present when an administrator signed in as the person. */
  readonly impersonation?: CodeImpersonation
}

/** The administrator behind the session of a code. */
export interface CodeImpersonation {
  readonly act: Actor
  /** The tokens end with it. */
  readonly origin: RevocationKeys
  /** End of the session. */
  readonly endsAt: number
}

/** Seals a code, or answers undefined when it would be longer than a client can carry. */
export function sealAuthorizationCode(code: AuthorizationCode, sealer: Sealer): string | undefined {
  const sealed = sealer.seal(Buffer.from(JSON.stringify(toStored(code)), 'utf8'))
  const longest = code.details === undefined ? LONGEST_CODE : LONGEST_CODE_WITH_DETAILS
  return sealed.length <= longest ? sealed : undefined
}

/** Opens a code, or answers undefined for anything this service did not seal as one. */
export function openAuthorizationCode(sealed: string, opener: Opener): AuthorizationCode | undefined {
  if (sealed.length > LONGEST_CODE_WITH_DETAILS) return undefined
  const opened = opener.open(sealed)
  return opened && fromStored(JSON.parse(opened.plaintext.toString('utf8')))
}

/** A code as it is sealed: that of an impersonation names its person where services of before, which know no actor, do not look. */
function toStored({ user, ...code }: AuthorizationCode): object {
  return code.impersonation === undefined ? { ...code, user } : { ...code, impersonated: user }
}

function fromStored({
  impersonated,
  ...code
}: AuthorizationCode & { readonly impersonated?: EpochMark }): AuthorizationCode {
  return impersonated === undefined ? code : { ...code, user: impersonated }
}
