import { identifier, newIdentifier, userIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { LIFETIME_SETTINGS, LIMIT_SETTINGS, SECURITY_SETTINGS } from '@signet/protocol/fields/instance'
import { ORGANIZATION_FIELDS } from '@signet/protocol/fields/organization'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { KEY, KEY_RULE } from '@signet/tokens/identifiers'
import { z } from 'zod'
import { applicationSchema } from '../applications/application.schema.ts'
import { declaredProviders } from '../identity-providers/identity-provider.schema.ts'
import { POLICY_SCHEMAS } from '../organizations/policies.schema.ts'
import { fileSchemas, settingSchemas } from '../schema/field-schemas.ts'
import { domain, name } from '../schema/fields.ts'
import { serviceUserSchema, userSchema } from '../schema/people.ts'

const projectRole = z.strictObject({
  key: name.regex(KEY, KEY_RULE),
  ...fileSchemas(ROLE_FIELDS),
  displayName: name.optional().describe('By default the key.'),
})

const userGrant = z.strictObject({ userId: userIdentifier, roles: z.array(name) })

const projectSchema = z.strictObject({
  id: newIdentifier.optional().describe('Generated when left out.'),
  ...fileSchemas(PROJECT_FIELDS),
  roles: z.array(projectRole).optional(),
  grants: z.array(userGrant).optional(),
  applications: z.array(applicationSchema).optional(),
})

const organizationDomain = z.union([
  domain.transform((domainName) => ({ domainName, isVerified: true })),
  z.strictObject({ domainName: domain, isVerified: z.boolean().default(false) }),
])

const organizationSchema = z.strictObject({
  id: newIdentifier.optional().describe('Generated when left out.'),
  ...fileSchemas(ORGANIZATION_FIELDS),
  domains: z.array(organizationDomain).optional(),
  loginPolicy: POLICY_SCHEMAS.loginPolicy.optional(),
  lockoutPolicy: POLICY_SCHEMAS.lockoutPolicy.optional(),
  passwordComplexityPolicy: POLICY_SCHEMAS.passwordComplexityPolicy.optional(),
  privacyPolicy: POLICY_SCHEMAS.privacyPolicy.optional(),
  labelPolicy: POLICY_SCHEMAS.labelPolicy.optional(),
  domainPolicy: POLICY_SCHEMAS.domainPolicy.optional(),
  users: z.array(userSchema).optional(),
  serviceUsers: z.array(serviceUserSchema).optional(),
  projects: z.array(projectSchema).optional(),
  identityProviders: declaredProviders,
})

const settings = z.strictObject({
  ...settingSchemas(LIFETIME_SETTINGS),
  signingAlgorithms: z
    .array(z.enum(SIGNING_ALGORITHMS))
    .refine((named) => named.includes('RS256'), 'must hold RS256')
    .transform((named) => SIGNING_ALGORITHMS.filter((known) => named.includes(known)))
    .optional()
    .describe(
      'The algorithms with which tokens are signed; RS256 and ES256 at first. Keys of one that is added are published at once, and applications may choose it a day later; one that an application has cannot be left out.',
    ),
  ...settingSchemas(LIMIT_SETTINGS),
})

/** The bootstrap file, its keys in lowerCamelCase and its secrets expanded. Unknown keys are problems. */
export const bootstrapFileSchema = z.strictObject({
  $schema: z.string().max(2_000).optional().describe('For editors.'),
  organizations: z.array(organizationSchema).optional(),
  features: z.strictObject({ oidcTokenExchange: z.boolean().optional() }).optional(),
  security: z.strictObject(settingSchemas(SECURITY_SETTINGS)).optional(),
  defaultOrganization: identifier.optional().describe('The first one when left out.'),
  settings: settings.optional(),
})

type BootstrapFileSchema = typeof bootstrapFileSchema

/** A bootstrap file as it is written. */
export type BootstrapFileInput = z.input<BootstrapFileSchema>
/** A valid bootstrap file, its durations in seconds and its keys as JWK. */
export type BootstrapFile = z.output<BootstrapFileSchema>

/** The JSON Schema that editors complete a bootstrap file with, as the text of `bootstrap.schema.json`. */
export function bootstrapJsonSchema(): string {
  const described = {
    title: 'Signet bootstrap file',
    ...z.toJSONSchema(bootstrapFileSchema, { io: 'input' }),
  }
  return `${JSON.stringify(described, null, 2)}\n`
}
