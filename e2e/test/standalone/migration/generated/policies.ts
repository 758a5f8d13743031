import fc from 'fast-check'
import { anyOf, each } from './values.ts'

const attempts = fc.integer({ min: 0, max: 1_000 })
const lifetime = fc.integer({ min: 0, max: 999_999_999 }).map((seconds) => `${seconds}s`)
const only = (...values: readonly unknown[]) => fc.constantFrom(...values)

/** Policies of an organization, any of them with any of their members, zeros and false among the values. */
export const policies = anyOf({
  loginPolicy: anyOf({
    ...each(['allowRegister', 'allowUsernamePassword', 'forceMfa', 'forceMfaLocalOnly'], fc.boolean()),
    disableLoginWithEmail: fc.boolean(),
    ...each(['passwordCheckLifetime', 'secondFactorCheckLifetime', 'multiFactorCheckLifetime'], lifetime),
    ...each(['allowExternalIdp', 'allowDomainDiscovery'], only(false)),
    ...each(['hidePasswordReset', 'ignoreUnknownUsernames', 'disableLoginWithPhone'], only(true)),
    ...each(['externalLoginCheckLifetime', 'mfaInitSkipLifetime'], only('0s')),
    defaultRedirectUri: only(''),
    passwordlessType: only('PASSWORDLESS_TYPE_NOT_ALLOWED'),
    secondFactors: only(['SECOND_FACTOR_TYPE_OTP']),
    multiFactors: only([]),
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
      only(''),
    ),
  ),
  labelPolicy: anyOf({
    ...each(['primaryColor', 'warnColor', 'backgroundColor', 'fontColor'], only('')),
    ...each(['primaryColorDark', 'warnColorDark', 'backgroundColorDark', 'fontColorDark'], only('')),
    ...each(['hideLoginNameSuffix', 'disableWatermark'], only(false)),
    themeMode: only('THEME_MODE_AUTO', 'THEME_MODE_UNSPECIFIED'),
  }),
  domainPolicy: anyOf({
    userLoginMustBeDomain: fc.boolean(),
    ...each(['validateOrgDomains', 'smtpSenderAddressMatchesInstanceDomain'], only(false)),
  }),
})
