import { domainToUnicode } from 'node:url'
import { asciiDomain } from '@signet/protocol/domain-name'
import { emailAddressKey, plainKey } from '@signet/protocol/email-address'
import { userNameKey } from '@signet/protocol/user-name'
import { isClientIdUrl } from '@signet/tokens/identifiers'

/**
 * The forms in which a typed login name is compared. Where there are several, the last one is how names were compared before
 * the rule of today: a key from then that another account holds in its new form was left as it is (docs/upgrades.md).
 */
export interface LoginName {
  readonly userNames: readonly [string, ...string[]]
  readonly addresses: readonly string[]
  /** The part before the last @, and the domain after it; empty for a name without @. */
  readonly userParts: readonly string[]
  readonly domains: readonly string[]
}

export function parseLoginName(typed: string): LoginName {
  const key = userNameKey(typed)
  const plain = plainKey(typed)
  const userNames = [key, plain] as const
  const addresses = [emailAddressKey(typed), plain]
  const at = plain.lastIndexOf('@')
  if (at < 0) return { userNames, addresses, userParts: [], domains: [] }
  const domain = plain.slice(at + 1)
  const ascii = asciiDomain(domain)
  return {
    userNames,
    addresses,
    userParts: [key.slice(0, key.lastIndexOf('@')), plain.slice(0, at)],
    domains: ascii === undefined ? [domain] : [ascii, domainToUnicode(ascii), domain],
  }
}

/** Context in which a person types a login name. */
export interface SignInContext {
  /** The request restricts the sign-in to this organization. */
  readonly organizationId?: string | undefined
  /** The application that asks; one that is unknown or left out counts as one of the default organization. */
  readonly clientId?: string | undefined
}

/**
 * The application whose organization is a ring. Null stands for the default organization, also for a client that no organization
 * registered: the organization to which such clients belong need not have people.
 */
export function contextClient({ clientId }: SignInContext): string | null {
  return clientId === undefined || isClientIdUrl(clientId) ? null : clientId
}

/** How a login name can mean an account; within a ring, lower steps count first. */
export const LOGIN_NAME_STEPS = { verifiedDomain: 1, verifiedEmail: 3, userName: 5 } as const

/** Added to a step where the stored key is the folded form and not the spelling that was typed. */
const FOLDED = 1

/**
 * Rings in which an account can be found: the organization that the request or the domain of the name names; that of
 * the application; those that accepted a grant of its project; the instance. Inner rings decide first.
 */
export const LOGIN_NAME_RINGS = { named: 1, application: 2, granted: 3, instance: 4 } as const

/** The place of a claim in the order in which claims count. */
export const claimRank = (ring: number, step: number): number => ring * 10 + step

export const stepOfName = (step: number, key: string, plain: string | undefined): number =>
  key === plain ? step : step + FOLDED

export interface LoginNameCandidate {
  readonly userId: string
  /** `claimRank` of the innermost ring and the first step in which the name means the account. */
  readonly rank: number
}

/** The accounts of the first rank that found any. */
export function firstClaims<C extends LoginNameCandidate>(candidates: readonly C[]): readonly C[] {
  const first = Math.min(...candidates.map(({ rank }) => rank))
  return candidates.filter(({ rank }) => rank === first)
}

/**
 * The one account that a login name means: in the innermost ring that has any, by the first step that finds any, and only
 * if it finds exactly one. So an account outside a ring takes no name from one within it.
 */
export function resolveLoginName<C extends LoginNameCandidate>(candidates: readonly C[]): C | undefined {
  const [only, ...others] = firstClaims(candidates)
  return others.length === 0 ? only : undefined
}

/** Whether these accounts were found by their verified address. */
export const isFoundByAddress = ({ rank }: LoginNameCandidate): boolean =>
  rank % 10 === LOGIN_NAME_STEPS.verifiedEmail
