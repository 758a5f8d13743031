import fc from 'fast-check'
import { anyOf, each, letters, url } from './values.ts'

const lifetime = fc.integer({ min: 1, max: 999_999_999 }).map((count) => `${count}s`)
const color = letters('0123456789abcdef', 6).map((digits) => `#${digits}`)
const attempts = fc.integer({ min: 0, max: 1_000 })

/** Policies of an organization, any of them with any of their members. */
export const policies = anyOf({
  loginPolicy: anyOf({
    ...each(
      [
        'allowUsernamePassword',
        'allowRegister',
        'allowExternalIdp',
        'forceMfa',
        'forceMfaLocalOnly',
        'hidePasswordReset',
        'ignoreUnknownUsernames',
        'allowDomainDiscovery',
        'disableLoginWithEmail',
        'disableLoginWithPhone',
      ],
      fc.boolean(),
    ),
    ...each(
      [
        'passwordCheckLifetime',
        'externalLoginCheckLifetime',
        'mfaInitSkipLifetime',
        'secondFactorCheckLifetime',
        'multiFactorCheckLifetime',
      ],
      lifetime,
    ),
    defaultRedirectUri: url,
    passwordlessType: fc.constantFrom('PASSWORDLESS_TYPE_NOT_ALLOWED', 'PASSWORDLESS_TYPE_ALLOWED'),
    secondFactors: fc.subarray(['SECOND_FACTOR_TYPE_OTP', 'SECOND_FACTOR_TYPE_OTP_SMS']),
    multiFactors: fc.subarray(['MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION']),
  }),
  lockoutPolicy: anyOf({ maxPasswordAttempts: attempts, maxOtpAttempts: attempts }),
  passwordComplexityPolicy: anyOf({
    minLength: fc.integer({ min: 1, max: 32 }),
    ...each(['hasLowercase', 'hasNumber'], fc.boolean()),
    ...each(['hasUppercase', 'hasSymbol'], fc.boolean()),
  }),
  privacyPolicy: anyOf(
    each(
      ['tosLink', 'privacyLink', 'helpLink', 'supportEmail', 'docsLink', 'customLink', 'customLinkText'],
      url,
    ),
  ),
  labelPolicy: anyOf({
    ...each(
      [
        'primaryColor',
        'warnColor',
        'backgroundColor',
        'fontColor',
        'primaryColorDark',
        'warnColorDark',
        'backgroundColorDark',
        'fontColorDark',
      ],
      color,
    ),
    ...each(['hideLoginNameSuffix', 'disableWatermark'], fc.boolean()),
    themeMode: fc.constantFrom('THEME_MODE_AUTO', 'THEME_MODE_DARK', 'THEME_MODE_LIGHT'),
  }),
  domainPolicy: anyOf(
    each(
      ['userLoginMustBeDomain', 'validateOrgDomains', 'smtpSenderAddressMatchesInstanceDomain'],
      fc.boolean(),
    ),
  ),
})
