import { newOpaqueIdentifier, type RandomBytes } from './identifiers.ts'

/** The epochs under which an ID token was made. */
export interface IdTokenEpochs {
  readonly user: number
  readonly organization: number
}

const FORM = /^[A-Za-z0-9_-]{22}\.(\d{1,15})\.(\d{1,15})$/

/**
 * The `jti` of an ID token: random, and the epochs of its user and the user's organization. ID tokens carry standard
 * claims only, so this is where a token exchange finds out whether one has been outlived.
 */
export function newIdTokenId(random: RandomBytes, { user, organization }: IdTokenEpochs): string {
  return `${newOpaqueIdentifier(random)}.${user}.${organization}`
}

export function epochsOfIdToken(jti: unknown): IdTokenEpochs | undefined {
  const [, user, organization] = typeof jti === 'string' ? (FORM.exec(jti) ?? []) : []
  if (user === undefined || organization === undefined) return undefined
  return { user: Number(user), organization: Number(organization) }
}
