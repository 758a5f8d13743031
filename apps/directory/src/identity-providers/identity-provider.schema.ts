import { isDeepStrictEqual } from 'node:util'
import { identifier, newIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { isPrivateKey, readClientKey } from '@signet/protocol/client-key'
import {
  ASSERTION_ENCRYPTIONS,
  CLIENT_AUTHENTICATIONS,
  type ClientAuthentication,
  type DefaultMember,
  defaultOf,
  type GivenMember,
  isOfType,
  type PROVIDER_FIELDS,
  PROVIDER_ROWS,
  type ProviderField,
  type ProviderKindValues,
  type ProviderMember,
  type ProviderSettings,
} from '@signet/protocol/fields/identity-provider'
import { PROVIDER_TYPES, type ProviderType } from '@signet/protocol/identity-provider-types'
import { MAPPED_MEMBERS } from '@signet/protocol/provider-profile'
import { z } from 'zod'
import { storedKey } from '../api/parameters.ts'
import { domain, name } from '../schema/fields.ts'
import { appleRules, secretKind } from './apple-rules.ts'
import { githubRules } from './github-rules.ts'
import { MOST_PROVIDERS } from './identity-provider.ts'
import { DESCRIPTOR, ldapRules } from './ldap-rules.ts'
import { logoutRules, oidcRules } from './oidc-rules.ts'
import { PRESET_NAMES } from './presets.ts'
import { MOST_CERTIFICATES, MOST_URL_CHARACTERS, NAME_ID_FORMATS, samlRules } from './saml-rules.ts'

const claim = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'must have 1 to 100 printable characters')
const printable = (most: number) =>
  z.string().regex(new RegExp(`^[\\x20-\\x7e]{1,${most}}$`), `must have 1 to ${most} printable characters`)

const roleMapping = z.strictObject({
  group: z.string().min(1).max(500).describe('A value of groupsClaim, character by character.'),
  projectId: identifier.describe('A project of the organization.'),
  roles: z.array(storedKey).min(1).max(100).describe('Keys of roles of the project.'),
})

/** A secret is stored sealed, and no response has it. */
export const clientSecret = z
  .string()
  .regex(/^[\x20-\x7e\r\n]{1,6000}$/, 'must have 1 to 6000 printable characters and line breaks')
  .describe(
    'Never shown again. At most 1000 characters in one line; with private_key_jwt a private key of RSA, P-256 or Ed25519, as a JWK or PEM; with apple_client_secret one of P-256.',
  )

const appleId = z.string().regex(/^[A-Z0-9]{10}$/, 'must have 10 upper-case letters and digits')
/** A short name of RFC 4512 section 1.4. */
const descriptor = z.string().regex(DESCRIPTOR, 'must be a name of letters, digits and hyphens')

const mappedClaims = z.strictObject(
  Object.fromEntries(Object.keys(MAPPED_MEMBERS).map((member) => [member, claim.optional()])) as Record<
    keyof typeof MAPPED_MEMBERS,
    z.ZodOptional<typeof claim>
  >,
)

/** The schema of each kind of value in requests, in the bootstrap file and in records. */
const REQUEST = {
  flag: z.boolean(),
  name,
  printable: printable(500),
  clientAuthentication: z.enum(CLIENT_AUTHENTICATIONS),
  publicJwk: z.record(z.string(), z.string()),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, 'must be a scope (RFC 6749 section 3.3)'))
    .max(50),
  claim,
  claims: z
    .record(claim, z.string().min(1).max(500))
    .refine((claims) => Object.keys(claims).length <= 20, 'may have 20 members at most'),
  mappedClaims,
  roleMappings: z.array(roleMapping).max(500),
  domains: z.array(domain).max(100),
  appleId,
  url: z.string().max(MOST_URL_CHARACTERS),
  certificates: z.array(z.string().min(1).max(10_000)).max(MOST_CERTIFICATES),
  nameIdFormat: z.enum(NAME_ID_FORMATS),
  path: z.string().max(500),
  assertionEncryption: z.enum(ASSERTION_ENCRYPTIONS),
  clientId: z.string().min(1).max(200),
  servers: z.array(z.string().max(300)).max(10),
  distinguishedName: z.string().regex(/^[^\p{Cc}\p{Cs}]{1,500}$/u, 'must have 1 to 500 printable characters'),
  descriptor,
  descriptors: z.array(descriptor).max(5),
} satisfies Readonly<Record<keyof ProviderKindValues, z.ZodType>>

const text = z.string()
const texts = z.array(text).readonly()

/** Their schemas in responses, which promise no more than the type: a stored value may be older than a rule. */
const RESPONSE = {
  flag: z.boolean(),
  name: text,
  printable: text,
  clientAuthentication: REQUEST.clientAuthentication,
  publicJwk: REQUEST.publicJwk,
  scopes: texts,
  claim: text,
  claims: z.record(text, text),
  mappedClaims,
  roleMappings: z.array(z.strictObject({ group: text, projectId: text, roles: texts })).readonly(),
  domains: texts,
  appleId: text,
  url: text,
  certificates: texts,
  nameIdFormat: text,
  path: text,
  assertionEncryption: REQUEST.assertionEncryption,
  clientId: text,
  servers: texts,
  distinguishedName: text,
  descriptor: text,
  descriptors: texts,
} satisfies Readonly<Record<keyof ProviderKindValues, z.ZodType>>

type Schemas<K extends Readonly<Record<keyof ProviderKindValues, z.ZodType>>, M extends ProviderMember> = {
  readonly [N in M]: (typeof PROVIDER_FIELDS)[N] extends { readonly optional: true }
    ? z.ZodNullable<K[(typeof PROVIDER_FIELDS)[N]['kind']]>
    : K[(typeof PROVIDER_FIELDS)[N]['kind']]
}

function schemaOf(type: z.ZodType, { optional }: ProviderField, words: string | undefined): z.ZodType {
  const schema = optional ? type.nullable() : type
  return words === undefined ? schema : schema.describe(words)
}

/** The members that a request sets and changes. */
export const providerMembers = Object.fromEntries(
  PROVIDER_ROWS.flatMap(([member, field]) =>
    field.derived ? [] : [[member, schemaOf(REQUEST[field.kind], field, field.description)]],
  ),
) as Schemas<typeof REQUEST, GivenMember>

/** The members of a response. */
export const shownMembers = Object.fromEntries(
  PROVIDER_ROWS.map(([member, field]) => [
    member,
    schemaOf(RESPONSE[field.kind], field, field.shown ?? field.description),
  ]),
) as Schemas<typeof RESPONSE, ProviderMember>

/** The members that a creation may leave out beside those of a preset. */
export const PROVIDER_DEFAULTS = Object.fromEntries(
  PROVIDER_ROWS.flatMap(([member, field]) =>
    field.derived || (field.default === undefined && !field.optional) ? [] : [[member, defaultOf(field)]],
  ),
) as { readonly [M in DefaultMember]: unknown } as Pick<ProviderSettings, DefaultMember>

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
  provider: ProviderSettings & {
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
    ...rulesOfOtherTypes(provider),
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
  oidc: oidcRules,
  saml: samlRules,
  ldap: ldapRules,
  github: githubRules,
} satisfies Record<ProviderType, (provider: ProviderSettings) => readonly Rule[]>

/** The rules about members that providers of other types have. */
function rulesOfOtherTypes(provider: ProviderSettings & { readonly type: ProviderType }): readonly Rule[] {
  const isLdap = provider.type === 'ldap'
  const usesBind = provider.clientAuthentication === 'simple_bind'
  return [
    ...PROVIDER_ROWS.map(([member, field]): Rule => {
      const isOther = !isOfType(field, provider.type)
      const isGiven = !isDeepStrictEqual(provider[member], defaultOf(field))
      return [isOther && isGiven, member, `must be left out: it is of type ${field.types?.join(' and ')}`]
    }),
    [!isLdap && usesBind, 'clientAuthentication', 'simple_bind is of type ldap'],
  ]
}

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
