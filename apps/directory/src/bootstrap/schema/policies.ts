import { z } from 'zod'

// Members as export-format.md section 1.6.7 names them, so that a policy moves between instances unchanged.

const flag = z.boolean().optional()
const link = z.string().max(1000).optional()
const color = z
  .string()
  .regex(/^(#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6})?$/, 'must be a colour such as #1a2b3c')
  .optional()
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

export const loginPolicy = z.strictObject({
  allowUsernamePassword: flag,
  allowRegister: flag,
  allowExternalIdp: flag,
  forceMfa: flag,
  forceMfaLocalOnly: flag,
  passwordlessType: z.enum(['PASSWORDLESS_TYPE_NOT_ALLOWED', 'PASSWORDLESS_TYPE_ALLOWED']).optional(),
  hidePasswordReset: flag,
  ignoreUnknownUsernames: flag,
  defaultRedirectUri: link,
  passwordCheckLifetime: seconds,
  externalLoginCheckLifetime: seconds,
  mfaInitSkipLifetime: seconds,
  secondFactorCheckLifetime: seconds,
  multiFactorCheckLifetime: seconds,
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
  allowDomainDiscovery: flag,
  disableLoginWithEmail: flag,
  disableLoginWithPhone: flag,
})

const attempts = z.int().min(0).max(1000).optional().describe('0: never')

export const lockoutPolicy = z.strictObject({ maxPasswordAttempts: attempts, maxOtpAttempts: attempts })

export const passwordComplexityPolicy = z.strictObject({
  minLength: count.pipe(z.int().min(1, 'must be 1 or more').max(72, 'may be 72 at most')).optional(),
  hasUppercase: flag,
  hasLowercase: flag,
  hasNumber: flag,
  hasSymbol: flag,
})

export const privacyPolicy = z.strictObject({
  tosLink: link,
  privacyLink: link,
  helpLink: link,
  supportEmail: link,
  docsLink: link,
  customLink: link,
  customLinkText: link,
})

export const labelPolicy = z.strictObject({
  primaryColor: color,
  warnColor: color,
  backgroundColor: color,
  fontColor: color,
  primaryColorDark: color,
  warnColorDark: color,
  backgroundColorDark: color,
  fontColorDark: color,
  hideLoginNameSuffix: flag,
  disableWatermark: flag,
  themeMode: z
    .enum(['THEME_MODE_UNSPECIFIED', 'THEME_MODE_AUTO', 'THEME_MODE_DARK', 'THEME_MODE_LIGHT'])
    .optional(),
})

export const domainPolicy = z.strictObject({
  userLoginMustBeDomain: flag,
  validateOrgDomains: flag,
  smtpSenderAddressMatchesInstanceDomain: flag,
})

/** The member of the file and the kind under which the document is stored. */
export const POLICY_KINDS = {
  loginPolicy: 'login',
  lockoutPolicy: 'lockout',
  passwordComplexityPolicy: 'password_complexity',
  privacyPolicy: 'privacy',
  labelPolicy: 'label',
  domainPolicy: 'domain',
} as const
