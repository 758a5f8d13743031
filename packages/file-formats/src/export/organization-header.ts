import { ORG_MEMBERS } from '@signet/protocol/fields/organization'
import { z } from 'zod'
import { exportedFields } from './record-schemas/field-schemas.ts'
import {
  creationDate,
  enumeration,
  flag,
  identifier,
  newIdentifier,
  seconds,
  valueText,
  wholeNumber,
} from './record-schemas/fields.ts'

const link = valueText.optional()
const color = valueText.optional()
const lifetime = seconds.optional()

const domainPolicy = z.object({
  orgId: z.unknown().optional(),
  userLoginMustBeDomain: flag,
  validateOrgDomains: flag,
  smtpSenderAddressMatchesInstanceDomain: flag,
})

const labelPolicy = z.object({
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
  themeMode: enumeration([
    'THEME_MODE_UNSPECIFIED',
    'THEME_MODE_AUTO',
    'THEME_MODE_DARK',
    'THEME_MODE_LIGHT',
  ]).optional(),
})

const attempts = wholeNumber.optional()
const lockoutPolicy = z.object({ maxPasswordAttempts: attempts, maxOtpAttempts: attempts })

const secondFactor = enumeration([
  'SECOND_FACTOR_TYPE_UNSPECIFIED',
  'SECOND_FACTOR_TYPE_OTP',
  'SECOND_FACTOR_TYPE_U2F',
  'SECOND_FACTOR_TYPE_OTP_EMAIL',
  'SECOND_FACTOR_TYPE_OTP_SMS',
  'SECOND_FACTOR_TYPE_RECOVERY_CODES',
])
const multiFactor = enumeration(['MULTI_FACTOR_TYPE_UNSPECIFIED', 'MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION'])
const idpReference = z.object({
  idpId: identifier,
  ownerType: enumeration([
    'IDP_OWNER_TYPE_UNSPECIFIED',
    'IDP_OWNER_TYPE_SYSTEM',
    'IDP_OWNER_TYPE_ORG',
  ]).optional(),
})

const loginPolicy = z.object({
  allowUsernamePassword: flag,
  allowRegister: flag,
  allowExternalIdp: flag,
  forceMfa: flag,
  forceMfaLocalOnly: flag,
  passwordlessType: enumeration(['PASSWORDLESS_TYPE_NOT_ALLOWED', 'PASSWORDLESS_TYPE_ALLOWED']).optional(),
  hidePasswordReset: flag,
  identifierFirst: flag,
  ignoreUnknownUsernames: flag,
  defaultRedirectUri: link,
  passwordCheckLifetime: lifetime,
  externalLoginCheckLifetime: lifetime,
  mfaInitSkipLifetime: lifetime,
  secondFactorCheckLifetime: lifetime,
  multiFactorCheckLifetime: lifetime,
  sessionEndsWithBrowser: flag,
  secondFactors: z.array(secondFactor).optional(),
  multiFactors: z.array(multiFactor).optional(),
  idps: z.array(idpReference).optional(),
  allowDomainDiscovery: flag,
  allowImpersonation: flag,
  disableLoginWithEmail: flag,
  disableLoginWithPhone: flag,
})

const passwordComplexityPolicy = z.object({
  minLength: wholeNumber.pipe(z.int().max(72, 'may be 72 at most')).optional(),
  hasUppercase: flag,
  hasLowercase: flag,
  hasNumber: flag,
  hasSymbol: flag,
})

const privacyPolicy = z.object({
  tosLink: link,
  privacyLink: link,
  helpLink: link,
  supportEmail: link,
  docsLink: link,
  customLink: link,
  customLinkText: link,
})

const domain = z.object({
  orgId: z.unknown().optional(),
  details: z.unknown().optional(),
  domainName: z.string().toLowerCase(),
  isVerified: flag,
  isPrimary: flag,
  validationType: enumeration([
    'DOMAIN_VALIDATION_TYPE_UNSPECIFIED',
    'DOMAIN_VALIDATION_TYPE_HTTP',
    'DOMAIN_VALIDATION_TYPE_DNS',
  ]).optional(),
})

/** The fields of an organization, its policies and domains: everything but its lists. */
export const organizationHeader = z.object({
  orgId: newIdentifier,
  org: z.object(exportedFields(ORG_MEMBERS)).optional(),
  /** Values for an organization that the import creates, where the document gives none; an update does not read them. */
  initial: z.object({ name: valueText.optional(), allowUsernamePassword: flag }).optional(),
  orgState: enumeration([
    'ORG_STATE_UNSPECIFIED',
    'ORG_STATE_ACTIVE',
    'ORG_STATE_INACTIVE',
    'ORG_STATE_REMOVED',
  ]).optional(),
  creationDate,
  domains: z.array(domain).max(1_000).optional(),
  domainPolicy: domainPolicy.optional(),
  labelPolicy: labelPolicy.optional(),
  lockoutPolicy: lockoutPolicy.optional(),
  loginPolicy: loginPolicy.optional(),
  passwordComplexityPolicy: passwordComplexityPolicy.optional(),
  privacyPolicy: privacyPolicy.optional(),
  // The v1 layout.
  iamPolicy: domainPolicy.optional(),
  secondFactors: z.array(z.object({ type: secondFactor })).optional(),
  multiFactors: z.array(z.object({ type: multiFactor })).optional(),
  idps: z.array(idpReference).optional(),
})

type ReadHeader = z.output<typeof organizationHeader>
export type OrganizationHeader = Omit<ReadHeader, 'iamPolicy' | 'secondFactors' | 'multiFactors' | 'idps'>

/** The header of either layout in the v2 layout. */
export function inV2Layout(header: ReadHeader): OrganizationHeader {
  const { iamPolicy, secondFactors, multiFactors, idps, ...v2 } = header
  const folded = {
    ...(secondFactors && { secondFactors: secondFactors.map(({ type }) => type) }),
    ...(multiFactors && { multiFactors: multiFactors.map(({ type }) => type) }),
    ...(idps && { idps }),
  }
  return {
    ...v2,
    ...(iamPolicy && !v2.domainPolicy && { domainPolicy: iamPolicy }),
    // The login policy itself takes precedence over the fields of both.
    ...(Object.keys(folded).length > 0 && { loginPolicy: { ...folded, ...v2.loginPolicy } }),
  }
}
