import { createHash, timingSafeEqual } from 'node:crypto'
import type { RecordOf } from '@signet/file-formats/export/lists'
import type { OrganizationHeader } from '@signet/file-formats/export/organization-header'
import type { AroundCheck, PasswordHasher } from '@signet/password-hash/password-hasher'
import { judgeHash } from '@signet/password-hash/stored-hash'
import type { Clock } from '@signet/platform/runtime/clock'
import { factorDemand } from '@signet/protocol/factor-demand'
import {
  claimRank,
  LOGIN_NAME_RINGS,
  LOGIN_NAME_STEPS,
  type LoginName,
  type LoginNameCandidate,
  parseLoginName,
  resolveLoginName,
  stepOfName,
} from '../accounts/login-name.ts'
import type { CredentialStore } from '../credentials/credential.repository.ts'
import { timeOfCode } from '../credentials/totp.ts'
import type { PolicyStore } from '../organizations/policy.repository.ts'
import type { EffectivePolicy } from '../organizations/policy-rules.ts'
import { completed, domainRows, organizationRow, policyRows } from './organization-rows.ts'
import { authenticatorsOf, newHumanUserRow } from './user-rows.ts'

/** A person of a document that is not imported, with the fields of the organization. */
export interface StagedPerson {
  readonly user: RecordOf<'humanUsers'>
  readonly organization: OrganizationHeader
  /** The letter of the dry run: c created, u updated, s skipped, f failed, x left out. */
  readonly outcome: string
}

export interface RehearsedTry {
  readonly loginName: string
  readonly password: string
  readonly otp: string | undefined
  readonly people: readonly StagedPerson[]
}

export interface RehearsedSignIn {
  readonly outcome:
    | 'wouldSignIn'
    | 'wrongPassword'
    | 'noSuchPerson'
    | 'severalPeople'
    | 'inactive'
    | 'noPassword'
    | 'keepsPassword'
    | 'notImported'
    | 'passwordNotAllowed'
    | 'secondFactorNeeded'
    | 'secondFactorWrong'
    | 'hashTooSlow'
  readonly userId?: string
  /** The format of the password hash with its cost parameters. */
  readonly hashKind?: string
  readonly milliseconds?: number
  readonly steps?: readonly ('password_change' | 'second_factor_enrolment')[]
}

interface PersonWithPolicy extends StagedPerson {
  readonly policy: EffectivePolicy
}

type Candidate = PersonWithPolicy & LoginNameCandidate

/** Letters of records that fail or are left out. */
const NOT_IMPORTED: ReadonlySet<string> = new Set(['f', 'x'])

/** A right password that took longer to check is reported as too slow. */
const MOST_MS = 2_000

interface Dependencies {
  readonly hasher: PasswordHasher
  readonly credentials: Pick<CredentialStore, 'candidates'>
  readonly policies: Pick<PolicyStore, 'effective'>
  readonly now: Clock
}

/**
 * Whether one of these people would sign in with this password, by the rules of a sign-in at an application of the
 * organization of the person. Stored accounts count as people of the same login name; their passwords are not looked at.
 * Rejects with BusyError when too many passwords are being checked.
 */
export function createRehearseSignIn(dependencies: Dependencies) {
  const { now } = dependencies
  return async ({ loginName, password, otp, people }: RehearsedTry): Promise<RehearsedSignIn> => {
    const name = parseLoginName(loginName)
    const meant = (await withPolicies(dependencies, people)).flatMap((person) => candidateOf(person, name))
    const candidates = meant.filter(({ outcome }) => !NOT_IMPORTED.has(outcome))
    if (candidates.length === 0) return { outcome: meant.length > 0 ? 'notImported' : 'noSuchPerson' }
    const found = resolveLoginName<Candidate | LoginNameCandidate>([
      ...candidates,
      ...(await storedCandidates(dependencies, name, candidates)),
    ])
    if (found === undefined || !('user' in found)) return { outcome: 'severalPeople' }
    const { user, organization, policy } = found
    const { userId } = user
    if (keepsPassword(found)) return { outcome: 'keepsPassword', userId }
    if (
      newHumanUserRow(user).state !== 'active' ||
      organizationRow(completed(organization)).state !== 'active'
    ) {
      return { outcome: 'inactive', userId }
    }
    const check = passwordCheck(dependencies, user)
    if (check === undefined) return { outcome: 'noPassword', userId }
    let milliseconds = 0
    const matches = await check.matches(password, async (run) => {
      const begun = now().getTime()
      const result = await run()
      milliseconds += now().getTime() - begun
      return result
    })
    const tried = { userId, hashKind: check.kind, milliseconds }
    if (!matches) return { ...tried, outcome: 'wrongPassword' }
    if (!policy.allowsPassword) return { ...tried, outcome: 'passwordNotAllowed' }
    const authenticators = authenticatorsOf(user.user)
    const anyPasskey = (user.user.passkeys?.credentials.length ?? 0) > 0
    const demand = factorDemand(policy, { totp: authenticators.length > 0, anyPasskey }, ['pwd'])
    if (demand === 'code') {
      if (otp === undefined || authenticators.length === 0) return { ...tried, outcome: 'secondFactorNeeded' }
      if (timeOfCode(authenticators, otp, now()) === undefined)
        return { ...tried, outcome: 'secondFactorWrong' }
    }
    return {
      ...tried,
      outcome: tried.milliseconds > MOST_MS ? 'hashTooSlow' : 'wouldSignIn',
      steps: [
        ...(user.user.passwordChangeRequired === true ? (['password_change'] as const) : []),
        ...(demand === 'enrolment' ? (['second_factor_enrolment'] as const) : []),
      ],
    }
  }
}

/** The people with the policies that would hold once their organizations were imported. */
async function withPolicies(
  { policies }: Dependencies,
  people: readonly StagedPerson[],
): Promise<readonly PersonWithPolicy[]> {
  const headers = new Map(people.map(({ organization }) => [organization.orgId, organization]))
  const effective = new Map(
    await Promise.all(
      [...headers.values()].map(
        async (header) => [header.orgId, await policies.effective('login', loginPolicy(header))] as const,
      ),
    ),
  )
  return people.flatMap((person) => {
    const policy = effective.get(person.organization.orgId)
    return policy === undefined ? [] : [{ ...person, policy }]
  })
}

/** Accounts that the login name means now, in the organizations of these people or by its domain. */
async function storedCandidates(
  { credentials }: Dependencies,
  name: LoginName,
  people: readonly Candidate[],
): Promise<readonly LoginNameCandidate[]> {
  const staged = new Set(people.map(({ userId }) => userId))
  // Each organization with the ring that its people are in.
  const rings = new Map(
    people.map(({ organization, rank }) => [organization.orgId, Math.floor(rank / 10)] as const),
  )
  const ofOrganizations = await Promise.all(
    [...rings].map(async ([organizationId, ring]) => {
      const found = await credentials.candidates(name, { organizationId })
      return found.map(({ userId, rank }) => ({ userId, rank: claimRank(ring, rank % 10) }))
    }),
  )
  const byDomain = (await credentials.candidates(name, {})).filter(
    ({ rank, organizationId }) =>
      Math.floor(rank / 10) === LOGIN_NAME_RINGS.named && !rings.has(organizationId),
  )
  return [...ofOrganizations.flat(), ...byDomain].filter(({ userId }) => !staged.has(userId))
}

/** Undefined for a person without a password. One in clear text is hashed when it is imported. */
function passwordCheck({ hasher }: Dependencies, { user }: StagedPerson['user']) {
  const { hashedPassword, password } = user
  if (hashedPassword !== undefined) {
    const judged = judgeHash(hashedPassword.value)
    return {
      kind: judged.verdict === 'verifiesHere' ? judged.kind : judged.verdict,
      matches: async (typed: string, around: AroundCheck) =>
        (await hasher.verifyPassword(hashedPassword.value, typed, around)).matches,
    }
  }
  if (password === undefined) return undefined
  return { kind: 'clear text', matches: async (typed: string, _: AroundCheck) => areEqual(typed, password) }
}

/** An update without a password leaves the stored one. */
const keepsPassword = ({ outcome, user: { user } }: StagedPerson): boolean =>
  outcome === 's' || (outcome === 'u' && user.hashedPassword === undefined && user.password === undefined)

function areEqual(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text.normalize('NFC')).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** The login policy that an import stores; undefined where the document has none. */
function loginPolicy(organization: OrganizationHeader): Readonly<Record<string, unknown>> | undefined {
  return policyRows(completed(organization)).find(({ kind }) => kind === 'login')?.document
}

/**
 * Returns how the directory would find a person by a login name, at an application of the organization of the person;
 * nothing for a person that the name does not mean.
 */
function candidateOf(
  person: PersonWithPolicy,
  { userNames, addresses, userParts, domains }: LoginName,
): readonly Candidate[] {
  const { user, organization, policy } = person
  const { user_name_key: userName, email_key: email = '', email_verified: isVerified } = newHumanUserRow(user)
  const ownsDomain = domainRows(organization).some((row) => row.is_verified && domains.includes(row.domain))
  const step =
    ownsDomain && userParts.includes(userName)
      ? stepOfName(LOGIN_NAME_STEPS.verifiedDomain, userName, userParts.at(-1))
      : isVerified && addresses.includes(email) && policy.emailIsLoginName
        ? LOGIN_NAME_STEPS.verifiedEmail
        : userNames.includes(userName)
          ? stepOfName(LOGIN_NAME_STEPS.userName, userName, userNames.at(-1))
          : undefined
  const ring = ownsDomain ? LOGIN_NAME_RINGS.named : LOGIN_NAME_RINGS.application
  return step === undefined ? [] : [{ ...person, userId: user.userId, rank: claimRank(ring, step) }]
}
