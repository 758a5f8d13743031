// Evaluates now what a sign-in of a person to an application meets. The rules are those of the sign-in: the candidates of a login
// name, the refusal of a password and the demand for a factor here, the gates at login.
import { factorDemand } from '@signet/protocol/factor-demand'
import { explainReason } from '@signet/protocol/refusal-reasons'
import type { AccountStore } from '../accounts/account.repository.ts'
import type { Account } from '../accounts/account.ts'
import { parseLoginName, resolveLoginName } from '../accounts/login-name.ts'
import { requireAccount } from '../accounts/require-account.ts'
import type { ManagementCall } from '../api/management-call.ts'
import type { ApplicationStore } from '../applications/application.repository.ts'
import { requireApplication } from '../applications/applications.service.ts'
import type { AttemptKeys } from '../credentials/attempt-keys.ts'
import type { CredentialCandidate, CredentialStore } from '../credentials/credential.repository.ts'
import { passwordRefusal } from '../credentials/verify-password.ts'
import type { Organization } from '../organizations/organization.repository.ts'
import { requireOrganization } from '../organizations/organizations.service.ts'
import { type PolicyReads, type PolicyStores, readPolicy } from '../organizations/policies.service.ts'
import type { EffectiveMember, PolicyKind } from '../organizations/policy-rules.ts'
import { onApplication, viewsProject } from '../permissions/permission.ts'
import { requireRoles } from '../permissions/require-permission.ts'
import type { ResourceScopeStore } from '../permissions/resource-scope.repository.ts'
import type { AccessRule, ExplainSignIn, GateAnswer } from './sign-in-explanation.ts'

interface Stores extends PolicyStores {
  readonly accounts: AccountStore
  readonly applications: ApplicationStore
  readonly credentials: CredentialStore
  readonly scopes: ResourceScopeStore
}

interface Services extends PolicyReads {
  readonly stores: Stores
  readonly attemptKeys: AttemptKeys
  readonly explainSignIn: ExplainSignIn
}

interface Question {
  readonly userId: string
  readonly applicationId: string
  readonly scope: string
}

/** The members of policies that an account is measured by. */
type Members = Readonly<Record<string, EffectiveMember>>

/** The facts of an account that the rules look at. */
interface Facts {
  readonly account: Account
  readonly organization: Organization
  readonly loginName: string
  /** The account as its login name finds it at the application; undefined: the name means no or another account. */
  readonly found: CredentialCandidate | undefined
  readonly login: Members
}

/** The rules of a sign-in to an application with their outcome now. Changes nothing. */
export async function checkAccess(
  call: ManagementCall<Stores>,
  { userId, applicationId, scope }: Question,
  services: Services,
) {
  const { stores, attemptKeys, explainSignIn } = services
  await requireRoles(stores, call.caller, { permission: onApplication(viewsProject), id: applicationId })
  const account = await requireAccount(stores.accounts, userId)
  const { clientId } = await requireApplication(stores.applications, applicationId)
  const { organizationId } = account
  const effective = async (kind: PolicyKind): Promise<Members> =>
    (await readPolicy(call, { organizationId, kind }, services)).effective
  const [organization, login, lockout] = await Promise.all([
    requireOrganization(stores.organizations, organizationId),
    effective('login'),
    effective('lockout'),
  ])
  const loginName = `${account.userName}@${organization.primaryDomain}`
  const candidates = await stores.credentials.candidates(parseLoginName(loginName), { clientId })
  const resolved = resolveLoginName(candidates)
  const found = resolved?.userId === userId ? resolved : undefined
  const explanation = await explainSignIn({
    ...{ userId, organizationId, clientId, scope },
    attemptKey: attemptKeys.ofAccount(userId),
    maxPasswordAttempts: found?.maxPasswordAttempts ?? 0,
  })
  const named = { application: applicationId, user: userId, organization: organizationId }
  const facts = { account, organization, loginName, found, login }
  const rules =
    explanation === undefined
      ? [...ofAccount(facts, named), refused('application', 'client_unknown', named)]
      : [
          ...ofAccount(facts, named),
          ofLock(explanation.waitSeconds, lockout, named),
          ...explanation.findings.flatMap((finding) => ofGate(finding, named)),
          ...ofDroppedScopes(explanation.droppedScopes, named),
        ]
  const failed = rules.some(({ outcome }) => outcome === 'failed')
  return { mayEnter: !failed, rules }
}

type Named = Readonly<Record<string, string>>

/** A rule that refuses, with the cause and the cure of its label. */
function refused(rule: string, reason: string, named: Named, more: Partial<AccessRule> = {}): AccessRule {
  const { cause, cure } = explainReason(reason, named) ?? { cause: reason, cure: undefined }
  return { rule, outcome: 'failed', text: cause, reason, cure, ...more }
}

/** The rules of the account, its credentials and the factors that the policy in force demands. */
function ofAccount(facts: Facts, named: Named): readonly AccessRule[] {
  const { account, organization, loginName, found, login } = facts
  if (account.kind !== 'human') return [failedKind]
  if (found === undefined) {
    const text = `the login name ${loginName} means no account or another one at this application`
    return [refused('account', 'account_unknown', named, { text, value: loginName, source: 'user' })]
  }
  // With a right password, so that only the other rules speak.
  const refusal = passwordRefusal(found, true)
  const state =
    refusal === 'account_not_active'
      ? inactive(account, organization, named)
      : passed('account', 'the account and its organization are active', {
          value: account.state,
          source: 'user',
        })
  const isOfPassword = refusal !== undefined && refusal !== 'account_not_active'
  const allowed = login.allowUsernamePassword
  const password = isOfPassword
    ? ofPassword(refusal, found, named, allowed)
    : passed('password', 'the account has a password, and the login policy allows it', {
        value: allowed?.value,
        source: allowed?.source,
      })
  return [state, password, ofChange(found), ofFactor(found, login)]
}

function inactive(account: Account, organization: Organization, named: Named): AccessRule {
  if (account.state !== 'active')
    return refused('account', 'account_not_active', named, { value: account.state, source: 'user' })
  return refused('account', 'account_not_active', named, {
    text: 'the organization of the person is not active',
    cure: `signet organization update ${organization.id} --set state=active`,
    value: organization.state,
    source: 'organization',
  })
}

const failedKind: AccessRule = {
  rule: 'account',
  outcome: 'failed',
  text: 'a service user does not sign in to applications',
  value: 'service_user',
  source: 'user',
}

const passed = (rule: string, text: string, more: Partial<AccessRule> = {}): AccessRule => ({
  ...{ rule, outcome: 'passed', text },
  ...more,
})

/** An account without a usable password may have a passkey instead, whose refusals the sign-in itself shows. */
function ofPassword(
  refusal: string,
  { anyPasskey }: CredentialCandidate,
  named: Named,
  allowed: EffectiveMember | undefined,
): AccessRule {
  const isOfPolicy = refusal === 'password_sign_in_not_allowed'
  const more = isOfPolicy
    ? { value: allowed?.value, source: allowed?.source }
    : ({ value: false, source: 'user' } as const)
  const rule = refused('password', refusal, named, more)
  return anyPasskey ? { ...rule, outcome: 'asked', text: `${rule.text}; the account has a passkey` } : rule
}

function ofChange({ passwordChangeRequired }: CredentialCandidate): AccessRule {
  return passwordChangeRequired
    ? { ...passed('password_change', 'the person has to choose another password first'), outcome: 'asked' }
    : passed('password_change', 'the password need not be changed')
}

const FACTOR_TEXTS = {
  none: 'no second factor is demanded',
  code: 'the person is asked for a second factor',
  enrolment: 'the person has no second factor, and is asked to add one',
} as const

function ofFactor(found: CredentialCandidate, login: Members): AccessRule {
  const demand = factorDemand(found, found, ['pwd'])
  const ofPolicy = ['forceMfa', 'forceMfaLocalOnly'].find((member) => login[member]?.value === true)
  const outcome = demand === 'none' ? 'passed' : 'asked'
  const text = FACTOR_TEXTS[demand]
  if (ofPolicy === undefined) return { rule: 'second_factor', outcome, text, value: false, source: 'user' }
  return {
    ...{ rule: 'second_factor', outcome, text: `${text}: ${ofPolicy} of the login policy` },
    ...{ value: true, source: login[ofPolicy]?.source },
  }
}

function ofLock(waitSeconds: number, lockout: Members, named: Named): AccessRule {
  const { value, source } = lockout.maxPasswordAttempts ?? {}
  if (waitSeconds === 0) return passed('lock', 'no failed attempt makes the next one wait', { value, source })
  const text = `too many failed passwords: the next one waits ${waitSeconds} s`
  return refused('lock', 'throttled', named, { text, value, source })
}

/** Gates without a text say nothing about a person who has just signed in. */
const GATE_TEXTS: Readonly<Record<string, string>> = {
  request: 'the scope is valid for the application',
  audience: 'the application may name the audiences of the scope',
  factor: 'a sign-in with these factors suffices',
  admission: 'the projects of the audience let the person in',
  roles: 'no offered roles wait for an answer',
  consent: 'no consent is asked for',
}

const ASKED_TEXTS: Readonly<Record<string, string>> = {
  consent: 'the person is asked whether the application gets the scopes',
  'accept-roles': 'the person is asked about roles that another organization offers',
}

function ofGate(
  { gate, refusedReason, asked, projectId }: GateAnswer,
  named: Named,
): AccessRule | readonly AccessRule[] {
  const source = projectId === '' ? 'application' : 'project'
  const value = projectId === '' ? undefined : projectId
  if (refusedReason !== '')
    return refused(gate, refusedReason, { ...named, ...(value && { project: value }) }, { value, source })
  if (asked !== '')
    return { rule: gate, outcome: 'asked', text: ASKED_TEXTS[asked] ?? `the person is asked: ${asked}` }
  const text = GATE_TEXTS[gate]
  return text === undefined ? [] : passed(gate, text)
}

function ofDroppedScopes(dropped: readonly string[], named: Named): readonly AccessRule[] {
  if (dropped.length === 0) return []
  const scopes = dropped.join(' ')
  const isOffline = scopes === 'offline_access'
  const reason = isOffline ? 'offline_access_dropped' : 'scopes_dropped'
  return [
    refused('scopes', reason, { ...named, scopes }, { outcome: 'changed', value: scopes, source: 'request' }),
  ]
}
