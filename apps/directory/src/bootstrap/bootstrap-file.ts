import { identifier, newIdentifier, userIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { ORGANIZATION_FIELDS } from '@signet/protocol/fields/organization'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { KEY, KEY_RULE } from '@signet/tokens/identifiers'
import { z } from 'zod'
import { applicationSchema } from '../applications/application.schema.ts'
import { POLICY_SCHEMAS } from '../organizations/policies.schema.ts'
import { fileSchemas } from '../schema/field-schemas.ts'
import { domain, duration, name } from '../schema/fields.ts'
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
})

const attempts = z.int().min(0).max(1000)
const FLOOR = 'No organization can allow more failures before the next try has to wait'

/** The maxima of docs/spec 3.1. */
const security = z.strictObject({
  enableImpersonation: z.boolean().optional(),
  allowImpersonatedApiCalls: z
    .boolean()
    .optional()
    .describe('Whether our APIs accept tokens with an act claim, which an impersonator holds.'),
  iamSignInMaxAge: duration('60s', '720h')
    .optional()
    .describe('How old the sign-in of a person may be whose IAM_ roles count at the APIs.'),
  iamRequiresMfa: z
    .boolean()
    .optional()
    .describe('IAM_ roles of a person count at the APIs only after a sign-in with a second factor.'),
})

const settings = z.strictObject({
  accessTokenLifetime: duration('1s', '24h').optional(),
  idTokenLifetime: duration('1s', '24h').optional(),
  refreshIdle: duration('1s', '9600h').optional(),
  refreshAbsolute: duration('1s', '9600h').optional(),
  refreshRetryWindow: duration('0s', '60s')
    .optional()
    .describe('For how long the last refresh token may be presented again; 30s when left out.'),
  refreshUnusedRetryWindow: duration('0s', '600s')
    .optional()
    .describe(
      'The same for native and public clients, until they use its successor; 600s when left out. No shorter than refreshRetryWindow in effect.',
    ),
  sessionIdle: duration('1s', '9600h').optional(),
  sessionAbsolute: duration('1s', '9600h').optional(),
  signingAlgorithms: z
    .array(z.enum(SIGNING_ALGORITHMS))
    .refine((named) => named.includes('RS256'), 'must hold RS256')
    .transform((named) => SIGNING_ALGORITHMS.filter((known) => named.includes(known)))
    .optional()
    .describe(
      'The algorithms with which tokens are signed; RS256 and ES256 at first. Keys of one that is added are published at once, and applications may choose it a day later; one that an application has cannot be left out.',
    ),
  passwordMinLength: z
    .int()
    .min(1)
    .max(72)
    .optional()
    .describe('No organization can allow shorter passwords; 8 at first.'),
  maxPasswordAttempts: attempts.optional().describe(`${FLOOR}, for passwords; 5 at first. 0: no floor.`),
  maxOtpAttempts: attempts.optional().describe(`${FLOOR}, for codes; 5 at first. 0: no floor.`),
  personalAccessTokenLifetime: duration('1s', '9600h')
    .optional()
    .describe('The longest life of personal access tokens made through the API; 8760h when left out.'),
})

/** The bootstrap file, its keys in lowerCamelCase and its secrets expanded. Unknown keys are problems. */
export const bootstrapFileSchema = z.strictObject({
  $schema: z.string().max(2_000).optional().describe('For editors.'),
  organizations: z.array(organizationSchema).optional(),
  features: z.strictObject({ oidcTokenExchange: z.boolean().optional() }).optional(),
  security: security.optional(),
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
