import { newIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import {
  APPLICATION_TYPES,
  type ApplicationSettings as ClientSettings,
  forKinds,
  GROUPS_CLAIMS,
  SETTING_NAMES,
  type SettingName,
} from '@signet/protocol/application-settings'
import { RESPONSE_TYPES } from '@signet/protocol/authorization-parameters'
import {
  CERTIFICATE_NAME_SETTINGS,
  CERTIFICATE_NAMES,
  type CertificateNameSetting,
} from '@signet/protocol/certificate-subject'
import { claimMappingProblems, MOST_MAPPED_CLAIMS } from '@signet/protocol/claim-mapping'
import { crossAppAccessProblems, MOST_TARGETS } from '@signet/protocol/cross-app-access'
import { CLIENT_AUTH_METHODS, GRANT_TYPES } from '@signet/protocol/grant-types'
import { z } from 'zod'
import { timestamp } from '../api/parameters.ts'
import {
  accessTokenType,
  applicationUrl,
  duration,
  name,
  origin,
  redirectUri,
  signingAlgorithm,
} from '../schema/fields.ts'
import { declaredIssuerTrusts } from '../schema/issuer-trust.ts'
import { clientSecret, registeredKey } from '../schema/people.ts'

// Derives the schemas of an application from the table of settings in @signet/protocol/application-settings.

/** Longest lifetime of an access token or ID token of an application: a day. */
export const MOST_LIFETIME_SECONDS = 86_400

export const applicationState = z.enum(['active', 'inactive'])

/** The settings of an application that an administrator can change. */
export interface ApplicationSettings extends ClientSettings {
  readonly state: z.output<typeof applicationState>
}

export interface Application extends ApplicationSettings {
  readonly id: string
  readonly projectId: string
  readonly createdAt: Date
}

export type ApplicationChanges = {
  readonly [Setting in keyof ApplicationSettings]?: ApplicationSettings[Setting] | undefined
}

const HOME_PAGE = 'Where people find the application; pages of Signet link to it.'
const INITIATE_LOGIN_URI =
  'Begins a sign-in at the application (OpenID Connect Core section 4); pages of Signet link to it with iss, instead of the home page.'
const GROUPS_QUALIFIED =
  "Values of the scope groups begin with the id of the user's organization and a colon."
const GROUPS_AS_OBJECTS = 'Values of the scope groups are objects with value and display instead of strings.'

const claimMapping = z
  .record(z.string(), z.string())
  .superRefine((mapping, context) => {
    for (const { claim, rule: message } of claimMappingProblems(mapping)) {
      context.addIssue({ code: 'custom', message, path: claim === undefined ? [] : [claim] })
    }
  })
  .describe(
    `Claims with values from the metadata of the user: name of the claim and metadata key, at most ${MOST_MAPPED_CLAIMS}. A token needs the scope urn:service:iam:user:metadata for them.`,
  )

const crossAppTarget = z.strictObject({ clientId: z.string().min(1), scopes: z.array(z.string()).readonly() })

const CROSS_APP_ACCESS = `Authorization servers that the application may reach for people by identity assertions: the issuer, the id of the client there, and the scopes at most; ${MOST_TARGETS} at most. ORG_OWNER or IAM_OWNER sets it.`

const crossAppAccess = z
  .record(z.string(), crossAppTarget)
  .superRefine((access, context) => {
    for (const { issuer, rule: message } of crossAppAccessProblems(access)) {
      context.addIssue({ code: 'custom', message, path: issuer === undefined ? [] : [issuer] })
    }
  })
  .describe(CROSS_APP_ACCESS)

/** Gives each certificate name the schema with its rule. */
function certificateNameSchemas<Schema>(schemaOf: (schema: z.ZodString) => Schema) {
  const schemas = CERTIFICATE_NAME_SETTINGS.map((setting) => {
    const { rule, canonical } = CERTIFICATE_NAMES[setting]
    const schema = z
      .string()
      .max(LONGEST_CERTIFICATE_NAME)
      .refine((value) => canonical(value) !== undefined, rule)
      .describe(CERTIFICATE_NAME_TEXTS[setting])
    return [setting, schemaOf(schema)] as const
  })
  return Object.fromEntries(schemas) as Readonly<Record<CertificateNameSetting, Schema>>
}

const LONGEST_CERTIFICATE_NAME = 1_000

const CERTIFICATE_NAME_TEXTS: Readonly<Record<CertificateNameSetting, string>> = {
  tlsClientAuthSubjectDn:
    'With authMethod tls_client_auth: the subject of the certificate as RFC 4514 writes it, such as CN=client,O=Example,C=DE; compared attribute by attribute, with case.',
  tlsClientAuthSanDns: 'With authMethod tls_client_auth: a dNSName of the certificate.',
  tlsClientAuthSanUri: 'With authMethod tls_client_auth: a uniformResourceIdentifier of the certificate.',
  tlsClientAuthSanIp: 'With authMethod tls_client_auth: an iPAddress of the certificate.',
  tlsClientAuthSanEmail: 'With authMethod tls_client_auth: an rfc822Name of the certificate.',
}

const KINDS = {
  text: z.string(),
  type: z.enum(APPLICATION_TYPES, 'must be web, userAgent (it runs in the browser), native or api'),
  authMethod: z.enum(CLIENT_AUTH_METHODS),
  responseTypes: z.array(z.enum(RESPONSE_TYPES)),
  grantTypes: z.array(z.enum(GRANT_TYPES)),
  tokenType: accessTokenType,
  signingAlg: signingAlgorithm,
  flag: z.boolean(),
  groupsClaim: z.enum(GROUPS_CLAIMS).describe('The name of the claim of the scope groups.'),
}

const {
  clientId: shownClientId,
  name: shownName,
  redirectUris: shownRedirectUris,
  postLogoutRedirectUris: shownPostLogoutRedirectUris,
  backChannelLogoutUri: shownBackChannelLogoutUri,
  homePage: shownHomePage,
  initiateLoginUri: shownInitiateLoginUri,
  allowedOrigins: shownOrigins,
  claimMapping: shownClaimMapping,
  crossAppAccess: shownCrossAppAccess,
  // The other settings have the same schema in a request and in a response.
  ...same
} = {
  ...forKinds({
    ...KINDS,
    responseTypes: KINDS.responseTypes.readonly(),
    grantTypes: KINDS.grantTypes.readonly(),
    lifetime: z
      .int()
      .min(1, 'must be 1 or more')
      .max(MOST_LIFETIME_SECONDS, `may be ${MOST_LIFETIME_SECONDS} at most`)
      .nullable()
      .describe('Null: the setting of the instance.'),
    uri: z.string().nullable(),
    uris: z.array(z.string()).readonly(),
    claimMapping: z.record(z.string(), z.string()).readonly(),
    crossAppAccess: z.record(z.string(), crossAppTarget).readonly(),
    certificateName: z.string().nullable(),
  }),
  groupsQualified: KINDS.flag.describe(GROUPS_QUALIFIED),
  groupsAsObjects: KINDS.flag.describe(GROUPS_AS_OBJECTS),
  devMode: KINDS.flag.describe(
    'For development: allows http redirect URIs, and error pages show the URIs that were compared.',
  ),
  exactLocalhostPort: KINDS.flag.describe(
    'Native applications only: http://localhost matches with its registered port only. 127.0.0.1 and [::1] match with any port.',
  ),
  preferredUsernameWithoutDomain: KINDS.flag.describe(
    'The claim preferred_username is the user name, which is unique in its organization only; otherwise NAME@DOMAIN, which is unique in the instance.',
  ),
  requirePkce: KINDS.flag.describe(
    'Authorization requests need a code challenge with S256 (RFC 7636). Public clients need one without this flag too.',
  ),
  fapi2: KINDS.flag.describe(
    'The FAPI 2.0 Security Profile: demands pushed requests, PKCE, tokens bound to a DPoP proof or a certificate, and private_key_jwt with the issuer alone as audience or a certificate, and refuses RS256. Settings that the profile forbids are refused.',
  ),
  requirePushedAuthorization: KINDS.flag.describe(
    'Authorization requests have to be pushed to /oauth/v2/par (RFC 9126); others are refused.',
  ),
  requireSignedRequests: KINDS.flag.describe(
    'Authorization requests have to be request objects (RFC 9101) that the application signed, with aud, nbf and exp; others are refused.',
  ),
  requireSignedResponses: KINDS.flag.describe(
    'Authorization requests have to ask for a signed response, as with response_mode=jwt (JARM); others are refused.',
  ),
  dpopBoundAccessTokens: KINDS.flag.describe(
    'Access tokens are bound to the key of a DPoP proof (RFC 9449): a token request without one is refused.',
  ),
  tlsClientCertificateBoundAccessTokens: KINDS.flag.describe(
    'Access tokens are bound to the certificate of the connection (RFC 8705): a token request without one is refused, and so is one with a DPoP proof.',
  ),
  mayCallApi: KINDS.flag.describe(
    "Tokens of people may be presented to Signet's own APIs. Only an IAM_OWNER sets it.",
  ),
  firstParty: KINDS.flag.describe(
    'People are not asked for consent. Only an IAM_OWNER sets it. A change of the redirect URIs sets it to false unless an IAM_OWNER sets it to true in the same request.',
  ),
}

/** The settings in a response. A stored URI may be older than a rule, so its schema is only a string. */
const shownSettings = {
  clientId: shownClientId,
  name: shownName,
  state: applicationState,
  ...same,
  redirectUris: shownRedirectUris,
  postLogoutRedirectUris: shownPostLogoutRedirectUris,
  backChannelLogoutUri: shownBackChannelLogoutUri,
  homePage: shownHomePage.describe(HOME_PAGE),
  initiateLoginUri: shownInitiateLoginUri.describe(INITIATE_LOGIN_URI),
  allowedOrigins: shownOrigins,
  claimMapping: shownClaimMapping,
  crossAppAccess: shownCrossAppAccess.describe(CROSS_APP_ACCESS),
}

const ORIGINS = 'CORS on token, userinfo and revoke.'

/** The settings in a request of the management API. */
export const applicationSettings = {
  ...same,
  clientId: newIdentifier,
  name,
  redirectUris: z.array(redirectUri).readonly(),
  postLogoutRedirectUris: z.array(redirectUri).readonly(),
  backChannelLogoutUri: applicationUrl.nullable(),
  homePage: applicationUrl.nullable().describe(HOME_PAGE),
  initiateLoginUri: applicationUrl.nullable().describe(INITIATE_LOGIN_URI),
  allowedOrigins: z.array(origin).readonly().describe(ORIGINS),
  claimMapping: claimMapping.readonly(),
  crossAppAccess: crossAppAccess.readonly(),
  ...certificateNameSchemas((schema) => schema.nullable()),
}

/** Values in the file contain the unit of a duration, so the names in the file do not. */
type FileName<Name extends SettingName> = Name extends `${infer Stem}Seconds` ? Stem : Name

export function fileNameOf<Name extends SettingName>(setting: Name): FileName<Name> {
  return setting.replace(/Seconds$/, '') as FileName<Name>
}

const FILE = {
  ...forKinds({
    ...KINDS,
    text: name,
    lifetime: duration('1s', '24h'),
    uri: applicationUrl,
    uris: z.array(redirectUri),
    claimMapping,
    crossAppAccess,
    certificateName: z.string(),
  }),
  ...certificateNameSchemas((schema) => schema),
  clientId: newIdentifier,
  allowedOrigins: z.array(origin),
}

const {
  clientId,
  name: fileName,
  type,
  authMethod,
  ...further
} = Object.fromEntries(SETTING_NAMES.map((setting) => [fileNameOf(setting), FILE[setting].optional()])) as {
  readonly [Name in SettingName as FileName<Name>]: z.ZodOptional<(typeof FILE)[Name]>
}

const generated = 'Generated when left out.'

/** An application in the bootstrap file. */
export const applicationSchema = z.strictObject({
  id: newIdentifier.optional().describe(generated),
  clientId: clientId.describe(generated),
  name: fileName.unwrap(),
  type: type.unwrap(),
  authMethod,
  clientSecret: clientSecret.optional(),
  keys: z.array(registeredKey).optional(),
  trustedIssuers: declaredIssuerTrusts,
  ...further,
  allowedOrigins: further.allowedOrigins.describe(ORIGINS),
  homePage: further.homePage.describe(HOME_PAGE),
  initiateLoginUri: further.initiateLoginUri.describe(INITIATE_LOGIN_URI),
  groupsQualified: further.groupsQualified.describe(GROUPS_QUALIFIED),
  groupsAsObjects: further.groupsAsObjects.describe(GROUPS_AS_OBJECTS),
  mayCallApi: further.mayCallApi.describe(
    "Tokens of people may be presented to Signet's own APIs. Becomes false when the file changes who receives the tokens and does not set it again.",
  ),
  firstParty: further.firstParty.describe(
    'People are not asked for consent. Becomes false in the same way as mayCallApi.',
  ),
})

const shown = { id: z.string(), projectId: z.string(), ...shownSettings, createdAt: timestamp }

export const application = z.strictObject(shown).meta({ id: 'Application' })

export const newApplication = z
  .strictObject({
    ...shown,
    clientSecret: z
      .string()
      .optional()
      .describe('Present if the application authenticates with a secret. Only this response shows it.'),
  })
  .meta({ id: 'NewApplication' })
