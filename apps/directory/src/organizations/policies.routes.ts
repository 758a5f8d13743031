import { z } from 'zod'
import type { ManagementCall } from '../api/management-call.ts'
import { operation } from '../api/operation.ts'
import { organizationId, patch } from '../api/parameters.ts'
import {
  managesInstance,
  managesOrganization,
  onInstance,
  onOrganization,
  type Permission,
  viewsOrganization,
} from '../permissions/permission.ts'
import { POLICY_SCHEMAS } from './policies.schema.ts'
import {
  type PolicyReads,
  type PolicyStores,
  readPolicy,
  resetPolicy,
  setPolicy,
  updatePolicy,
} from './policies.service.ts'
import type { PolicyKind } from './policy-rules.ts'

interface Kind {
  readonly kind: PolicyKind
  /** Name of the policy in sentences and paths. */
  readonly words: string
  readonly schema: z.ZodObject
  readonly example: Readonly<Record<string, unknown>>
  readonly changing: Permission
}

const byOwners = onOrganization(managesOrganization)

const KINDS: readonly Kind[] = [
  {
    kind: 'login',
    words: 'login',
    schema: POLICY_SCHEMAS.loginPolicy,
    example: { allowRegister: false },
    changing: byOwners,
  },
  {
    kind: 'lockout',
    words: 'lockout',
    schema: POLICY_SCHEMAS.lockoutPolicy,
    example: { maxPasswordAttempts: 3 },
    changing: byOwners,
  },
  {
    kind: 'password_complexity',
    words: 'password complexity',
    schema: POLICY_SCHEMAS.passwordComplexityPolicy,
    example: { minLength: 12, hasNumber: true },
    changing: byOwners,
  },
  {
    kind: 'privacy',
    words: 'privacy',
    schema: POLICY_SCHEMAS.privacyPolicy,
    example: { privacyLink: 'https://acme.example/{{.Lang}}/privacy', supportEmail: 'help@acme.example' },
    changing: byOwners,
  },
  {
    kind: 'label',
    words: 'label',
    schema: POLICY_SCHEMAS.labelPolicy,
    example: { primaryColor: '#0b6e4f', primaryColorDark: '#7fe0bd' },
    changing: byOwners,
  },
  {
    kind: 'domain',
    words: 'domain',
    schema: POLICY_SCHEMAS.domainPolicy,
    example: { userLoginMustBeDomain: true },
    // It decides whether user names are unique in the whole instance.
    changing: onInstance(managesInstance),
  },
]

// A stored policy may come from an import and hold members that Signet does not use.
const policy = z.strictObject({
  isDefault: z.boolean().describe('The organization has none of its own; the defaults hold.'),
  policy: z.record(z.string(), z.unknown()).describe('What is left out has its default.'),
  notObeyed: z
    .array(z.string())
    .readonly()
    .describe(
      'Members that have no effect: they came with an import, or a setting of the instance is stricter and holds instead.',
    ),
  effective: z
    .record(
      z.string(),
      z.strictObject({
        value: z.unknown().describe('Null: there is no such rule.'),
        source: z
          .enum(['organization', 'instance'])
          .describe('organization: its policy sets it; instance: a setting or default of the instance.'),
      }),
    )
    .describe('The values that hold, of all members that have an effect.'),
  defaults: z
    .record(z.string(), z.unknown())
    .describe(
      'The values of members that a policy of the organization leaves out. Null: there is no such rule.',
    ),
})

export const policyOperations = KINDS.flatMap(operationsOf)

function operationsOf({ kind, words, schema, example, changing }: Kind) {
  const path = `/management/v1/organizations/{organizationId}/policies/${words.replace(' ', '-')}`
  const response = policy.meta({ id: `${pascalCase(words)}Policy` })
  return [
    operation({
      id: `${kind}_policy.read`,
      summary: `Shows the ${words} policy of an organization`,
      method: 'get',
      path,
      parameters: { organizationId },
      response,
      permission: onOrganization(viewsOrganization),
      handle: (call: ManagementCall<PolicyStores>, input, services: PolicyReads) =>
        readPolicy(call, { ...input, kind }, services),
    }),
    operation({
      id: `${kind}_policy.set`,
      summary: `Sets the ${words} policy of an organization`,
      description:
        'As a whole: what is left out has its default. What is more lenient than the settings of the instance is refused. Effective everywhere within a second.',
      method: 'put',
      path,
      parameters: { organizationId },
      request: schema,
      example,
      response,
      permission: changing,
      handle: (call: ManagementCall<PolicyStores>, { organizationId: id, ...document }) =>
        setPolicy(call, { organizationId: String(id), kind, policy: document }),
    }),
    operation({
      id: `${kind}_policy.update`,
      summary: `Changes members of the ${words} policy of an organization`,
      description:
        'A member that is left out stays as it is, also where the organization has no policy of its own yet; null gives a member its default. What is more lenient than the settings of the instance is refused. Effective everywhere within a second.',
      method: 'patch',
      path,
      parameters: { organizationId },
      request: changesOf(schema),
      example,
      response,
      permission: changing,
      handle: (call: ManagementCall<PolicyStores>, { organizationId: id, ...changes }) =>
        updatePolicy(call, { organizationId: String(id), kind, changes }),
    }),
    operation({
      id: `${kind}_policy.reset`,
      summary: `Lets the default ${words} policy hold in an organization`,
      method: 'delete',
      path,
      parameters: { organizationId },
      permission: changing,
      handle: (call: ManagementCall<PolicyStores>, input) => resetPolicy(call, { ...input, kind }),
    }),
  ]
}

function changesOf({ shape }: z.ZodObject) {
  const members = Object.entries(shape).map(([name, member]) => [name, (member as z.ZodType).nullable()])
  return patch(Object.fromEntries(members))
}

function pascalCase(words: string): string {
  return words.replaceAll(/(?:^| )([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
