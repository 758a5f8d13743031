import { identifier } from '@signet/file-formats/export/record-schemas/fields'
import { PRIVACY_MEMBERS, type PrivacyMember, privacyLinkProblem } from '@signet/protocol/privacy-links'
import { z } from 'zod'
import { link as uri } from '../schema/fields.ts'
import { brokenPolicyRule, type PolicyName, treatmentOf } from './policy-rules.ts'

// The members have the names of docs/spec 6.2, so that a policy moves between instances unchanged.

const flag = z.boolean().optional()
const link = uri.optional()
const color = z
  .string()
  .regex(/^(#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6})?$/, 'must be a colour such as #1a2b3c')
  .optional()
/** A colour of the sign-in and account pages. */
const colorOf = (use: string, theme: 'light' | 'dark') =>
  color.describe(`${use} on ${theme} pages: #rgb or #rrggbb.`)
const colorsOf = (theme: 'light' | 'dark') => ({
  primary: colorOf('Buttons and, where they can be read in it, links', theme),
  warn: colorOf('Warnings, with a contrast to the background of 4.5:1 or more,', theme),
  background: colorOf('The background', theme),
  font: colorOf('Text, with a contrast to the background of 4.5:1 or more,', theme),
})
const [light, dark] = [colorsOf('light'), colorsOf('dark')]
const seconds = z
  .string()
  .regex(/^\d{1,9}s$/, 'must be whole seconds such as 864000s')
  .optional()
const count = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
])

/**
 * The members of a policy; a member that Signet does not implement accepts only the values that describe its
 * behaviour.
 */
function obeyed<S extends Readonly<Record<string, z.ZodType>>>(
  policy: PolicyName,
  shape: S,
): z.ZodObject<S, z.core.$strict> {
  const members = Object.entries(shape).map(([member, type]) => {
    const treatment = treatmentOf(policy, member)
    if (treatment === undefined || treatment.kind === 'acts') return [member, type]
    const refusing = type.superRefine((value, context) => {
      const message = brokenPolicyRule(policy, member, value)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    if (treatment.kind === 'limited') {
      return [member, refusing.describe(`${treatment.reason}.${harmlessValues(treatment.harmless)}`)]
    }
    return [
      member,
      refusing.describe(`Not supported: ${treatment.reason}.${harmlessValues(treatment.harmless)}`),
    ]
  })
  return z.strictObject(Object.fromEntries(members) as S)
}

function harmlessValues(harmless: readonly unknown[]): string {
  if (harmless.length === 0) return ' Refused when it is set.'
  return ` May only be ${harmless.map((value) => JSON.stringify(value)).join(' or ')}.`
}

const loginPolicy = obeyed('loginPolicy', {
  allowUsernamePassword: flag,
  allowRegister: flag,
  allowExternalIdp: flag.describe('False: people sign in by no identity provider.'),
  forceMfa: flag,
  forceMfaLocalOnly: flag.describe(
    'As forceMfa, of sign-ins without an identity provider. Of the others, people with a second factor of their own are asked for it, unless the provider is trusted for it.',
  ),
  passwordlessType: z.enum(['PASSWORDLESS_TYPE_NOT_ALLOWED', 'PASSWORDLESS_TYPE_ALLOWED']).optional(),
  hidePasswordReset: flag,
  identifierFirst: flag.describe(
    'The page asks for the login name first, and for the password on the next page. Of the organization that the request names, or of the default one.',
  ),
  ignoreUnknownUsernames: flag,
  defaultRedirectUri: link,
  passwordCheckLifetime: seconds,
  externalLoginCheckLifetime: seconds.describe(
    'As passwordCheckLifetime, of sign-ins by an identity provider.',
  ),
  mfaInitSkipLifetime: seconds,
  secondFactorCheckLifetime: seconds,
  multiFactorCheckLifetime: seconds,
  sessionEndsWithBrowser: flag.describe(
    'People have to sign in again after they close the browser, as on shared computers. Otherwise a session goes on for the session times of the instance.',
  ),
  secondFactors: z
    .array(
      z.enum([
        'SECOND_FACTOR_TYPE_OTP',
        'SECOND_FACTOR_TYPE_U2F',
        'SECOND_FACTOR_TYPE_OTP_EMAIL',
        'SECOND_FACTOR_TYPE_OTP_SMS',
      ]),
    )
    .optional(),
  multiFactors: z.array(z.enum(['MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION'])).optional(),
  idps: z
    .array(
      z.strictObject({
        idpId: identifier,
        ownerType: z.enum(['IDP_OWNER_TYPE_SYSTEM', 'IDP_OWNER_TYPE_ORG']).optional(),
      }),
    )
    .max(100)
    .optional()
    .describe(
      'The identity providers of the organization that people may sign in by, in the order of the sign-in page. Empty or left out: all of them. ownerType is ignored.',
    ),
  allowDomainDiscovery: flag.describe(
    'Where a request names no organization, a login name in a verified domain of this one leads to its identity providers.',
  ),
  allowImpersonation: flag.describe(
    'Administrators with a role of impersonators may sign in as people of the organization, where enableImpersonation of the instance is on too.',
  ),
  disableLoginWithEmail: flag,
  disableLoginWithPhone: flag,
})

const attempts = z.int().min(0).max(1000).optional().describe('0: never')

const lockoutPolicy = obeyed('lockoutPolicy', {
  maxPasswordAttempts: attempts,
  maxOtpAttempts: attempts,
})

const passwordComplexityPolicy = obeyed('passwordComplexityPolicy', {
  minLength: count.pipe(z.int().min(1, 'must be 1 or more').max(72, 'may be 72 at most')).optional(),
  hasUppercase: flag,
  hasLowercase: flag,
  hasNumber: flag,
  hasSymbol: flag,
})

const LINK_USES: Readonly<Record<PrivacyMember, string>> = {
  tosLink: 'The terms of service',
  privacyLink: 'The privacy policy',
  helpLink: 'A page with help',
  docsLink: 'The documentation',
  customLink: 'Another page, with the text of customLinkText',
  supportEmail: 'The address for questions',
  customLinkText: 'The text of customLink, in the language of the organization: at most 60 characters',
}
const linkOf = (member: PrivacyMember) =>
  z
    .string()
    .max(1000)
    .superRefine((value, context) => {
      const message = privacyLinkProblem(member, value)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    .optional()
    .describe(`${LINK_USES[member]}, at the foot of sign-in and account pages. Empty: none.`)

const privacyPolicy = obeyed(
  'privacyPolicy',
  Object.fromEntries(PRIVACY_MEMBERS.map((member) => [member, linkOf(member)])) as Record<
    PrivacyMember,
    ReturnType<typeof linkOf>
  >,
)

const labelPolicy = obeyed('labelPolicy', {
  primaryColor: light.primary,
  warnColor: light.warn,
  backgroundColor: light.background,
  fontColor: light.font,
  primaryColorDark: dark.primary,
  warnColorDark: dark.warn,
  backgroundColorDark: dark.background,
  fontColorDark: dark.font,
  hideLoginNameSuffix: flag,
  disableWatermark: flag.describe(
    'The pages do not show the name of the product; without a logo they show that of the organization.',
  ),
  themeMode: z
    .enum(['THEME_MODE_UNSPECIFIED', 'THEME_MODE_AUTO', 'THEME_MODE_DARK', 'THEME_MODE_LIGHT'])
    .describe('Pages are always light or always dark; AUTO, UNSPECIFIED and by default: as the browser asks.')
    .optional(),
})

const domainPolicy = obeyed('domainPolicy', {
  userLoginMustBeDomain: flag,
  validateOrgDomains: flag,
  smtpSenderAddressMatchesInstanceDomain: flag,
})

export const POLICY_SCHEMAS = {
  loginPolicy,
  lockoutPolicy,
  passwordComplexityPolicy,
  privacyPolicy,
  labelPolicy,
  domainPolicy,
} as const satisfies Readonly<Record<PolicyName, z.ZodObject>>
