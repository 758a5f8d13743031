import { identifier, newIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { isPrivateKey, readClientKey } from '@signet/protocol/client-key'
import { PROVIDER_TYPES, type ProviderType } from '@signet/protocol/identity-provider-types'
import { MAPPED_MEMBERS } from '@signet/protocol/provider-profile'
import { z } from 'zod'
import { storedKey } from '../api/parameters.ts'
import { domain, name } from '../schema/fields.ts'
import { type AppleMembers, appleMembers, appleRules, secretKind } from './apple-members.ts'
import { githubRules } from './github-members.ts'
import {
  CLIENT_AUTHENTICATIONS,
  type ClientAuthentication,
  MOST_PROVIDERS,
  type ProviderSettings,
} from './identity-provider.ts'
import { type LdapMembers, ldapMembers, ldapRules, withoutLdapRules } from './ldap-members.ts'
import { logoutRules, oidcMembers, oidcRules } from './oidc-members.ts'
import { PRESET_NAMES } from './presets.ts'
import { type SamlMembers, samlMembers, samlRules, withoutSamlRules } from './saml-members.ts'

const claim = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'must have 1 to 100 printable characters')
const printable = (most: number) =>
  z.string().regex(new RegExp(`^[\\x20-\\x7e]{1,${most}}$`), `must have 1 to ${most} printable characters`)

const roleMapping = z.strictObject({
  group: z.string().min(1).max(500).describe('A value of groupsClaim, character by character.'),
  projectId: identifier.describe('A project of the organization.'),
  roles: z.array(storedKey).min(1).max(100).describe('Keys of roles of the project.'),
})

const mapped = Object.keys(MAPPED_MEMBERS).map((member) => [member, claim.optional()])

/** A secret is stored sealed, and no response has it. */
export const clientSecret = z
  .string()
  .regex(/^[\x20-\x7e\r\n]{1,6000}$/, 'must have 1 to 6000 printable characters and line breaks')
  .describe(
    'Never shown again. At most 1000 characters in one line; with private_key_jwt a private key of RSA, P-256 or Ed25519, as a JWK or PEM; with apple_client_secret one of P-256.',
  )

/** The members that a request sets and changes. */
export const providerMembers = {
  name: name.describe('The sign-in page shows it.'),
  issuer: printable(500).describe(
    'The `iss` of its ID tokens; its configuration is read below it. With type saml the entity id of the provider, with type ldap a name of the directory, its baseDn when left out; with type github https://github.com, or the address of a server of GitHub Enterprise.',
  ),
  clientId: printable(500).describe(
    'The client_id of Signet at the provider. With type saml the entity id of Signet there, with type ldap the distinguished name that searches bind with.',
  ),
  clientAuthentication: z
    .enum(CLIENT_AUTHENTICATIONS)
    .describe(
      'private_key_jwt: clientSecret is a private key, whose public half is clientPublicJwk. apple_client_secret: it is the key of Apple, with teamId and keyId. simple_bind with type ldap, and only there: clientSecret is the password of clientId.',
    ),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope (RFC 6749 section 3.3)'))
    .max(50),
  subjectClaim: claim.describe(
    'The claim of the ID token that identifies people: sub, or oid of Entra ID. With type ldap entryUUID, objectGUID of Active Directory, or nsUniqueId. With type github always id.',
  ),
  requiredClaims: z
    .record(claim, z.string().min(1).max(500))
    .refine((claims) => Object.keys(claims).length <= 20, 'may have 20 members at most')
    .describe(
      'Claims that the ID token must have, with their values, such as hd of Google or tid of Entra ID. With type github organization, the number of an organization that people have to be members of.',
    ),
  mappedClaims: z
    .strictObject(
      Object.fromEntries(mapped) as Record<keyof typeof MAPPED_MEMBERS, z.ZodOptional<typeof claim>>,
    )
    .describe('Claims that fill members of the profile in place of the standard ones.'),
  groupsClaim: claim
    .nullable()
    .describe(
      'The claim with the groups of a person. Null: groups give no roles. With type ldap an attribute such as memberOf, memberOf:1.2.840.113556.1.4.1941: for nested groups of Active Directory, or posixGroup.',
    ),
  roleMappings: z
    .array(roleMapping)
    .max(500)
    .describe(
      'The roles that groups stand for. At each sign-in a person gets those of the own groups, and loses the others of this list.',
    ),
  linkingAllowed: z
    .boolean()
    .describe(
      'People with an account may link it, after they signed in to it in another way with each factor.',
    ),
  creationAllowed: z.boolean().describe('A first sign-in makes an account.'),
  updatesProfile: z.boolean().describe('Each sign-in updates names and language of the account.'),
  trustedEmailDomains: z
    .array(domain)
    .max(100)
    .describe(
      'Domains whose addresses the provider verifies: such an address with email_verified true is verified here. Verified domains of the organization; IAM_OWNER may name others.',
    ),
  trustsMethods: z
    .boolean()
    .describe(
      'The authentication methods (amr) that the provider names count as ours: mfa is a second factor.',
    ),
  ...oidcMembers,
  ...appleMembers,
  ...samlMembers,
  ...ldapMembers,
}

/** The members that a creation may leave out beside those of a preset. */
export const PROVIDER_DEFAULTS = {
  clientAuthentication: 'client_secret_basic',
  subjectClaim: 'sub',
  requiredClaims: {},
  mappedClaims: {},
  groupsClaim: null,
  roleMappings: [],
  linkingAllowed: false,
  creationAllowed: false,
  updatesProfile: false,
  trustedEmailDomains: [],
  trustsMethods: false,
  crossAppAccess: false,
  backchannelLogout: false,
  rpInitiatedLogout: false,
  teamId: null,
  keyId: null,
  ssoUrl: null,
  sloUrl: null,
  certificates: [],
  wantAssertionsSigned: false,
  nameIdFormat: null,
  assertionConsumerPath: null,
  assertionEncryption: 'none',
  signAuthnRequests: false,
  providerInitiated: false,
  providerInitiatedClientId: null,
  servers: [],
  baseDn: null,
  objectClass: null,
  nameAttributes: [],
} as const satisfies Partial<ProviderSettings>

export const preset = z
  .enum(PRESET_NAMES)
  .describe('Gives members that the request leaves out their defaults.')

const { name: providerName, clientId, ...optionalMembers } = providerMembers

/** The members of a request that creates a provider. */
export const newProviderMembers = {
  id: newIdentifier.optional().describe('Generated when left out; only IAM_OWNER chooses it.'),
  type: z
    .enum(PROVIDER_TYPES)
    .optional()
    .describe(
      'OpenID Connect, SAML 2.0, a directory that verifies passwords (LDAP), or GitHub; left out, OpenID Connect. It is not changed later.',
    ),
  preset: preset.optional(),
  name: providerName,
  clientId,
  clientSecret: clientSecret.optional(),
  ...z.strictObject(optionalMembers).partial().shape,
}

/** The identity providers of an organization in the bootstrap file. */
export const declaredProviders = z
  .array(
    z.strictObject({
      ...newProviderMembers,
      id: identifier.describe('Stands in the redirect URI.'),
      state: z.enum(['active', 'inactive']).optional(),
    }),
  )
  .max(MOST_PROVIDERS)
  .optional()

/** Claims that a provider may give to another person later (OpenID Connect Core section 5.7). */
const NOT_STABLE: ReadonlySet<string> = new Set([
  ...['email', 'preferred_username', 'username', 'upn', 'unique_name'],
  ...['name', 'given_name', 'family_name', 'nickname', 'phone_number'],
  ...['mail', 'uid', 'urn:oid:0.9.2342.19200300.100.1.3', 'urn:oid:0.9.2342.19200300.100.1.1'],
  ...['emailaddress', 'name', 'upn'].map(
    (name) => `http://schemas.xmlsoap.org/ws/2005/05/identity/claims/${name}`,
  ),
])

/** A rule that a member of a provider breaks. */
export interface ProviderProblem {
  readonly field: string
  readonly rule: string
}

/** The rules that members of a provider break together. */
export function providerProblems(
  provider: AppleMembers &
    SamlMembers &
    LdapMembers &
    Pick<
      ProviderSettings,
      | 'backchannelLogout'
      | 'rpInitiatedLogout'
      | 'clientAuthentication'
      | 'crossAppAccess'
      | 'clientId'
      | 'groupsClaim'
      | 'issuer'
      | 'mappedClaims'
      | 'requiredClaims'
      | 'roleMappings'
      | 'scopes'
      | 'subjectClaim'
      | 'trustedEmailDomains'
      | 'trustsMethods'
    > & {
      readonly type: ProviderType
      readonly hasSecret: boolean
      /** The secret that comes with the change; undefined: the stored one stays, which was checked. */
      readonly givenSecret?: string | undefined
    },
): readonly ProviderProblem[] {
  const { clientAuthentication, givenSecret, groupsClaim, hasSecret, roleMappings } = provider
  const secretRule = givenSecret === undefined ? undefined : ruleOfSecret(clientAuthentication, givenSecret)
  const usesSecret = clientAuthentication !== 'none'
  const rules: readonly Rule[] = [
    ...logoutRules(provider),
    ...appleRules(provider),
    ...RULES_OF_TYPE[provider.type](provider),
    [
      NOT_STABLE.has(provider.subjectClaim),
      'subjectClaim',
      'must be a claim that the provider never gives to another person, such as sub (OpenID Connect Core section 5.7)',
    ],
    [usesSecret && !hasSecret, 'clientSecret', `is required for ${clientAuthentication}`],
    [!usesSecret && hasSecret, 'clientSecret', 'must be left out or null for clientAuthentication none'],
    [usesSecret && secretRule !== undefined, 'clientSecret', secretRule ?? ''],
    [
      roleMappings.length > 0 && groupsClaim === null,
      'groupsClaim',
      'is required by roleMappings: it names the claim with the groups',
    ],
  ]
  return rules.flatMap(([isBroken, field, rule]) => (isBroken ? [{ field, rule }] : []))
}

type Rule = readonly [isBroken: boolean, field: string, rule: string]

const RULES_OF_TYPE = {
  oidc: (provider) => [...oidcRules(provider), ...withoutLdapRules(provider)],
  saml: (provider) => [...samlRules(provider), ...withoutLdapRules(provider)],
  ldap: ldapRules,
  github: (provider) => [
    ...githubRules(provider),
    ...withoutSamlRules(provider),
    ...withoutLdapRules(provider),
  ],
} satisfies Record<ProviderType, (provider: Parameters<typeof providerProblems>[0]) => readonly Rule[]>

/** The rule that a secret of this kind breaks. */
function ruleOfSecret(method: ClientAuthentication, secret: string): string | undefined {
  if (secretKind(method) === 'secret') {
    if (isPrivateKey(secret)) return `is a private key, which ${method} would send: set private_key_jwt`
    return /^[\x20-\x7e]{1,1000}$/.test(secret) ? undefined : 'must have 1 to 1000 printable characters'
  }
  const read = readClientKey(secret)
  if ('problem' in read) return `${read.problem} (clientAuthentication ${method})`
  const isOther = method === 'apple_client_secret' && read.alg !== 'ES256'
  return isOther ? 'must be a private key of P-256 (clientAuthentication apple_client_secret)' : undefined
}
