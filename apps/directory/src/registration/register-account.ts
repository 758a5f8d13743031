import type { AuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import { EMAIL_ADDRESS, LANGUAGE, NAME } from '@signet/protocol/member-values'
import { preparedUserName, userNameProblem } from '@signet/protocol/user-name'
import type { PasswordComplexity } from '../accounts/account.ts'
import type { CheckPassword } from '../credentials/password-check.ts'
import { type PasswordProblem, passwordProblems } from '../credentials/password-policy.ts'
import type { VerifiedAccount } from '../credentials/verify-password.ts'
import type {
  Registration,
  RegistrationForm,
  RegistrationProblem,
  RegistrationStore,
} from './registration.repository.ts'

const MOST_NAME = 200
/** The form cleaned up, or every problem that shows without asking who else is registered. */
function checkRegistration(
  form: RegistrationForm,
  complexity: PasswordComplexity | undefined,
):
  | { readonly registration: Registration }
  | { readonly problems: readonly [RegistrationProblem, ...RegistrationProblem[]] } {
  const userName = preparedUserName(form.userName)
  const email = EMAIL_ADDRESS.prepare(form.email)
  const givenName = NAME.prepare(form.givenName)
  const familyName = NAME.prepare(form.familyName)
  const preferredLanguage = form.preferredLanguage.trim()
  const [first, ...others] = [
    ...textProblems('user_name', userName, userNameProblem),
    ...(userName.includes('@') ? [{ field: 'user_name', code: 'address' } as const] : []),
    ...textProblems('email', email, EMAIL_ADDRESS.problem),
    ...textProblems('given_name', givenName, NAME.problem),
    ...textProblems('family_name', familyName, NAME.problem),
    ...(preferredLanguage === '' || LANGUAGE.problem(preferredLanguage) === undefined
      ? []
      : [{ field: 'preferred_language', code: 'invalid' } as const]),
    ...passwordFieldProblems(form.password, passwordProblems(form.password, complexity)),
  ]
  if (first !== undefined) return { problems: [first, ...others] }
  return {
    registration: {
      userName,
      email,
      givenName,
      familyName,
      displayName: [...`${givenName} ${familyName}`].slice(0, MOST_NAME).join(''),
      preferredLanguage: preferredLanguage === '' ? undefined : preferredLanguage,
    },
  }
}

function textProblems(
  field: string,
  text: string,
  problemOf: (text: string) => string | undefined,
): RegistrationProblem[] {
  if (text === '') return [{ field, code: 'required' }]
  if ([...text].length > MOST_NAME) return [{ field, code: 'too_long' }]
  return problemOf(text) === undefined ? [] : [{ field, code: 'invalid' }]
}

function passwordFieldProblems(
  password: string,
  problems: readonly PasswordProblem[],
): readonly RegistrationProblem[] {
  if (password === '') return [{ field: 'password', code: 'required' }]
  // One is enough, however many rules of one kind are broken.
  return [...new Set(problems.map(({ code }) => code))].map((code) => ({ field: 'password', code }))
}

/** Registration shows that a name is taken; the limit keeps a client from testing thousands of names (docs/spec 4.10). */
const REFUSALS_PER_HOUR = 10
/** Bounds the accounts that one network makes, too. */
const PASSWORDS_PER_HOUR = 100

export interface RegistrationRequest {
  readonly form: RegistrationForm
  /** The default organization when absent. */
  readonly organizationId?: string
  readonly clientAddress?: string
  /** The `client_id` of the application from which the person came. */
  readonly clientId?: string
}

export type RegistrationOutcome =
  | { readonly account: VerifiedAccount }
  | { readonly problems: readonly [RegistrationProblem, ...RegistrationProblem[]] }

interface Dependencies {
  readonly registrations: RegistrationStore
  readonly audit: AuditRecorder
  readonly hasher: PasswordHasher
  readonly checkPassword: CheckPassword
  readonly newId: () => string
  readonly now: Clock
  readonly logger: Logger
}

/**
 * Makes an account with a password and an unverified e-mail address, or says all that stands in the way. Each answer that a
 * name is taken counts as a try: no other answer tells anything about who has an account, and the number of estimates of
 * passwords bounds the names that are looked up. A try counts while it runs, so that many at once get no more answers. Rejects with BusyError when too many
 * passwords are being hashed.
 */
export function createRegisterAccount(deps: Dependencies) {
  const { registrations, audit, hasher, checkPassword, newId, now, logger } = deps
  return async (request: RegistrationRequest): Promise<RegistrationOutcome> => {
    const outcome = await register(request)
    if ('problems' in outcome) {
      const { clientAddress } = request
      const problems = outcome.problems.map(({ field, code }) => (field === '' ? code : `${field}:${code}`))
      await audit.record({
        actor: { kind: 'anonymous' },
        action: 'registration',
        clientAddress,
        result: 'refused',
        details: { problems },
      })
      logger.info('registration_refused', { reason: problems.join(' '), address: clientAddress })
    }
    return outcome
  }

  async function register({
    form,
    organizationId,
    clientAddress,
    clientId,
  }: RegistrationRequest): Promise<RegistrationOutcome> {
    const organization = await registrations.findOrganization(organizationId)
    if (organization === undefined || !organization.allowsRegistration) return refused('', 'not_allowed')
    const checked = checkRegistration(form, organization.complexity)
    const known = 'problems' in checked ? checked.problems : []
    // An estimate takes up to 10 ms of the process, so a network gets a number of them, beside its tries.
    if (!(await registrations.countTry(clientAddress, now(), PASSWORDS_PER_HOUR, 'registration_password'))) {
      return 'problems' in checked ? checked : refused('', 'too_many_attempts')
    }
    const [first, ...others] = [...known, ...(await weaknesses(form, organization, known))]
    if (first !== undefined) {
      const isNameSound = known.every(({ field }) => field !== 'user_name')
      const taken = isNameSound ? await takenName(form, organization.organizationId, clientAddress) : []
      return { problems: [first, ...others, ...taken] }
    }
    if ('problems' in checked) return checked
    if (!(await registrations.countTry(clientAddress, now(), REFUSALS_PER_HOUR))) {
      return refused('', 'too_many_attempts')
    }
    const { registration } = checked
    if (await registrations.isTaken(organization.organizationId, registration.userName)) {
      return refused('user_name', 'taken')
    }
    const passwordHash = await hasher.hashPassword(form.password)
    const added = { userId: newId(), organizationId: organization.organizationId }
    const stored = await registrations.add(
      { ...added, registration, passwordHash, at: now(), clientId },
      registered(added, clientAddress),
    )
    if (stored === undefined) return refused('user_name', 'taken')
    await registrations.forgetTry(clientAddress)
    if (stored.mail === 'limited' || stored.mail === 'organization_limited')
      logger.warn('mail_not_queued', { userId: added.userId, reason: stored.mail })
    return { account: stored.account }
  }

  /** The expensive rules of a password that keeps the others. */
  async function weaknesses(
    form: RegistrationForm,
    { name, complexity }: { readonly name: string; readonly complexity: PasswordComplexity | undefined },
    known: readonly RegistrationProblem[],
  ): Promise<readonly RegistrationProblem[]> {
    if (known.some(({ field }) => field === 'password')) return []
    const words = [form.userName, form.email, form.givenName, form.familyName, name]
    return passwordFieldProblems(form.password, await checkPassword(form.password, { complexity, words }))
  }

  /** Says beside other problems that the name is taken, within the number of tries; a name that is free uses none up. */
  async function takenName(
    { userName }: RegistrationForm,
    organizationId: string,
    clientAddress: string | undefined,
  ): Promise<readonly RegistrationProblem[]> {
    if (!(await registrations.countTry(clientAddress, now(), REFUSALS_PER_HOUR))) return []
    if (await registrations.isTaken(organizationId, preparedUserName(userName)))
      return [{ field: 'user_name', code: 'taken' }]
    await registrations.forgetTry(clientAddress)
    return []
  }
}

function registered(
  { userId, organizationId }: { readonly userId: string; readonly organizationId: string },
  clientAddress: string | undefined,
): AuditEvent {
  return {
    actor: { kind: 'human', id: userId },
    action: 'registration',
    target: { kind: 'user', id: userId },
    organizationId,
    clientAddress,
    result: 'success',
  }
}

function refused(field: string, code: RegistrationProblem['code']): RegistrationOutcome {
  return { problems: [{ field, code }] }
}
