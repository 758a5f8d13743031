import { brokenColours, coloursNotObeyed } from '@signet/protocol/label-colours'
import { brokenPrivacyLinks, privacyLinksNotObeyed } from '@signet/protocol/privacy-links'

/** The member of the bootstrap file and the kind under which the document is stored. */
export const POLICY_KINDS = {
  loginPolicy: 'login',
  lockoutPolicy: 'lockout',
  passwordComplexityPolicy: 'password_complexity',
  privacyPolicy: 'privacy',
  labelPolicy: 'label',
  domainPolicy: 'domain',
} as const satisfies Readonly<Record<PolicyName, string>>

export type PolicyKind = (typeof POLICY_KINDS)[PolicyName]

export const POLICY_NAMES = Object.fromEntries(
  Object.entries(POLICY_KINDS).map(([name, kind]) => [kind, name]),
) as Readonly<Record<PolicyKind, PolicyName>>

/** The rules of one kind that hold in an organization. */
export interface Policy {
  /** The organization has none of its own: the defaults of the instance hold. */
  readonly isDefault: boolean
  /** Members with the names of docs/spec 6.2; a missing one has its default. */
  readonly policy: Readonly<Record<string, unknown>>
  /** Members that Signet does not obey: they came with an import, or the instance became stricter. */
  readonly notObeyed: readonly string[]
  /** Each member that acts, with the value that sign-in obeys. */
  readonly effective: Readonly<Record<string, EffectiveMember>>
  /** The values of members that an own policy leaves out. */
  readonly defaults: Readonly<Record<string, unknown>>
}

export interface EffectiveMember {
  /** Null: there is no such rule. */
  readonly value: unknown
  /** The policy of the organization sets it, or the settings and defaults of the instance do. */
  readonly source: 'organization' | 'instance'
}

/** The policies that hold in an organization, with defaults and floors: a row of `directory.effective_policy`. */
export interface EffectivePolicy {
  readonly allowsPassword: boolean
  readonly allowsRegistration: boolean
  /** A second factor is demanded of sign-ins without an identity provider. */
  readonly forceMfa: boolean
  readonly allowsProviders: boolean
  readonly allowsDomainDiscovery: boolean
  /** Administrators with a role of impersonators may sign in as people of the organization. */
  readonly allowsImpersonation: boolean
  readonly passkeySignIn: boolean
  /** A passkey may follow a password. */
  readonly passkeySecondFactor: boolean
  /** A passkey counts as two factors. */
  readonly passkeyMultiFactor: boolean
  readonly passkeyOfferSeconds: number
  readonly identifierFirst: boolean
  readonly sessionEndsWithBrowser: boolean
  readonly emailIsLoginName: boolean
  readonly maxPasswordAttempts: number
  readonly maxOtpAttempts: number
  readonly passwordMinLength: number
  readonly needsUppercase: boolean
  readonly needsLowercase: boolean
  readonly needsNumber: boolean
  readonly needsSymbol: boolean
  readonly userNamesAreGlobal: boolean
}

/** How Signet treats one member of a policy. */
export type PolicyMemberTreatment =
  | { readonly kind: 'acts' }
  | {
      readonly kind: 'limited'
      /** The values that act; all others are refused, or reported by an import. */
      readonly harmless: readonly unknown[]
      readonly reason: string
    }
  | {
      readonly kind: 'refused'
      /** The values that match the behaviour of Signet; all others are refused, or reported by an import. */
      readonly harmless: readonly unknown[]
      readonly reason: string
    }

type Treatments = Readonly<Record<string, PolicyMemberTreatment>>

const acts: PolicyMemberTreatment = { kind: 'acts' }

const refused = (reason: string, ...harmless: readonly unknown[]): PolicyMemberTreatment => ({
  kind: 'refused',
  harmless,
  reason,
})

const limited = (reason: string, ...harmless: readonly unknown[]): PolicyMemberTreatment => ({
  kind: 'limited',
  harmless,
  reason,
})

export const OTP = 'SECOND_FACTOR_TYPE_OTP'
export const U2F = 'SECOND_FACTOR_TYPE_U2F'
const SECOND_FACTORS = [[OTP], [OTP, U2F], [U2F, OTP]]

/** Every member of every policy, by the names of the bootstrap file, the management API and the export format. */
export const POLICY_MEMBERS = {
  loginPolicy: {
    allowUsernamePassword: acts,
    allowRegister: acts,
    allowExternalIdp: acts,
    forceMfa: acts,
    forceMfaLocalOnly: acts,
    passwordlessType: acts,
    hidePasswordReset: acts,
    identifierFirst: acts,
    ignoreUnknownUsernames: refused('no answer tells whether an account exists', true),
    defaultRedirectUri: refused('a sign-in always returns to the application that asked for it', ''),
    passwordCheckLifetime: acts,
    externalLoginCheckLifetime: acts,
    mfaInitSkipLifetime: acts,
    secondFactorCheckLifetime: acts,
    multiFactorCheckLifetime: acts,
    sessionEndsWithBrowser: acts,
    secondFactors: limited(
      'TOTP codes are always accepted, and passkeys may be beside them',
      ...SECOND_FACTORS,
    ),
    multiFactors: acts,
    idps: acts,
    allowDomainDiscovery: acts,
    allowImpersonation: acts,
    disableLoginWithEmail: acts,
    disableLoginWithPhone: refused('people do not sign in with a phone number', true),
  },
  lockoutPolicy: {
    maxPasswordAttempts: acts,
    maxOtpAttempts: acts,
  },
  passwordComplexityPolicy: {
    minLength: acts,
    hasUppercase: acts,
    hasLowercase: acts,
    hasNumber: acts,
    hasSymbol: acts,
  },
  privacyPolicy: {
    tosLink: acts,
    privacyLink: acts,
    helpLink: acts,
    supportEmail: acts,
    docsLink: acts,
    customLink: acts,
    customLinkText: acts,
  },
  labelPolicy: {
    primaryColor: acts,
    warnColor: acts,
    backgroundColor: acts,
    fontColor: acts,
    primaryColorDark: acts,
    warnColorDark: acts,
    backgroundColorDark: acts,
    fontColorDark: acts,
    hideLoginNameSuffix: refused('login names are shown whole', false),
    disableWatermark: acts,
    themeMode: acts,
  },
  domainPolicy: {
    userLoginMustBeDomain: acts,
    validateOrgDomains: refused('an IAM_OWNER says which domains are verified', false),
    smtpSenderAddressMatchesInstanceDomain: refused(
      'an organization chooses its sender address only with an SMTP server of its own',
      false,
    ),
  },
} as const satisfies Readonly<Record<string, Treatments>>

export type PolicyName = keyof typeof POLICY_MEMBERS

export function treatmentOf(policy: PolicyName, member: string): PolicyMemberTreatment | undefined {
  return (POLICY_MEMBERS[policy] as Treatments)[member]
}

/** The rule that a value breaks, to show beside the name of the member; undefined when Signet does what it says. */
export function brokenPolicyRule(policy: PolicyName, member: string, value: unknown): string | undefined {
  const treatment = treatmentOf(policy, member)
  if (value === undefined || treatment === undefined || treatment.kind === 'acts') return undefined
  const { harmless, reason } = treatment
  if (harmless.some((known) => JSON.stringify(known) === JSON.stringify(value))) return undefined
  return `is not supported: ${reason}; leave it out${harmless.map((known) => ` or set it to ${JSON.stringify(known)}`).join('')}`
}

type Document = Readonly<Record<string, unknown>>

/** The members that pages do not show: an import may have stored values that are refused elsewhere. */
export const NOT_SHOWN: { readonly [P in PolicyName]?: (document: Document) => readonly string[] } = {
  labelPolicy: coloursNotObeyed,
  privacyPolicy: privacyLinksNotObeyed,
}

/** The members of a policy that Signet does not obey, in the order of the table. */
export function membersNotObeyed(
  policy: PolicyName,
  document: Readonly<Record<string, unknown>>,
): readonly string[] {
  const shown = NOT_SHOWN[policy]?.(document) ?? []
  return Object.keys(POLICY_MEMBERS[policy]).filter(
    (member) => brokenPolicyRule(policy, member, document[member]) !== undefined || shown.includes(member),
  )
}

interface BrokenMember {
  readonly member: string
  readonly rule: string
}

const TOGETHER: { readonly [P in PolicyName]?: (document: Document) => readonly BrokenMember[] } = {
  labelPolicy: brokenColours,
  privacyPolicy: brokenPrivacyLinks,
}

/**
 * The rules that members of a policy break together: text and background of pages need a contrast, a link of the
 * organization's own needs a text.
 */
export function brokenTogether(policy: PolicyName, document: Document): readonly BrokenMember[] {
  return TOGETHER[policy]?.(document) ?? []
}

/** The settings of the instance that the policies of an organization can be stricter than, and not more lenient. */
export interface PolicyFloors {
  readonly passwordMinLength: number
  /** Number of failed passwords that lock an account; 0 locks none. */
  readonly maxPasswordAttempts: number
  readonly maxOtpAttempts: number
}

interface Floor {
  readonly setting: keyof PolicyFloors
  /** Returns the reason why the value is more lenient than the setting; undefined when it is not. */
  readonly broken: (value: number, floor: number) => string | undefined
}

const tooShort: Floor['broken'] = (value, floor) =>
  value < floor ? `must be ${floor} or more: the instance asks for at least ${floor}` : undefined

const tooManyAttempts: Floor['broken'] = (value, floor) => {
  if (floor === 0 || (value !== 0 && value <= floor)) return undefined
  const meaning = value === 0 ? ', and 0 means any number' : ''
  return `must be between 1 and ${floor}: the instance lets at most ${floor} attempts fail before a wait${meaning}`
}

const FLOORS: { readonly [P in PolicyName]?: Readonly<Record<string, Floor>> } = {
  passwordComplexityPolicy: { minLength: { setting: 'passwordMinLength', broken: tooShort } },
  lockoutPolicy: {
    maxPasswordAttempts: { setting: 'maxPasswordAttempts', broken: tooManyAttempts },
    maxOtpAttempts: { setting: 'maxOtpAttempts', broken: tooManyAttempts },
  },
}

/** The members of a policy that are more lenient than the instance, with the rule that each breaks. */
export function brokenFloors(
  policy: PolicyName,
  document: Readonly<Record<string, unknown>>,
  floors: { readonly [F in keyof PolicyFloors]?: PolicyFloors[F] | undefined },
): readonly BrokenMember[] {
  return Object.entries(FLOORS[policy] ?? {}).flatMap(([member, { setting, broken }]) => {
    const [value, floor] = [document[member], floors[setting]]
    if (value === undefined || value === null || floor === undefined) return []
    const rule = broken(Number(value), floor)
    return rule === undefined ? [] : [{ member, rule: `${rule}; change settings.${setting} first` }]
  })
}
