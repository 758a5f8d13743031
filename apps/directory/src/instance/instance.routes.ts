import { rewrapped } from '@signet/admin-api/rewrapped'
import { SECURITY_SETTINGS } from '@signet/protocol/fields/instance'
import { z } from 'zod'
import type { ManagementCall } from '../api/management-call.ts'
import { operation } from '../api/operation.ts'
import { patch } from '../api/parameters.ts'
import { managesInstance, onInstance, viewsInstance } from '../permissions/permission.ts'
import { apiSettings } from '../schema/field-schemas.ts'
import {
  type InstanceReads,
  type InstanceStores,
  readFeatures,
  readSecurityPolicy,
  resetFeatures,
  rewrapSecrets,
  type SecurityPolicyStores,
  setFeatures,
  setSecurityPolicy,
} from './instance.service.ts'
import { changed, details, FEATURES, type InstanceFeatures, revisionDetails } from './instance-setting.ts'

const FEATURES_PATH = '/v2/features/instance'
const features = { kind: 'instance', id: 'features' }

const feature = z.strictObject({
  enabled: z.boolean(),
  source: z
    .enum(['SOURCE_INSTANCE', 'SOURCE_SYSTEM', 'SOURCE_UNSPECIFIED'])
    .describe('SOURCE_SYSTEM: a setting of the operator, which no call changes.'),
})

export const featureOperations = [
  operation({
    id: 'features.read',
    summary: 'Shows the features of the instance',
    method: 'get',
    path: FEATURES_PATH,
    query: {
      inheritance: z
        .enum(['true', 'false'], 'must be true or false')
        .default('false')
        .describe('Whether to show features that are not set, with their default.'),
    },
    response: z
      .strictObject({
        details,
        oidcTokenExchange: feature.optional(),
        clientDocuments: feature
          .optional()
          .describe(
            'Clients whose client_id is the URL of their document: SIGNET_CLIENT_ID_METADATA_PROJECT.',
          ),
      })
      .meta({ id: 'Features' }),
    permission: onInstance(viewsInstance),
    target: features,
    handle: async (call: ManagementCall<InstanceStores>, input, services: InstanceReads & OperatorFeatures) =>
      shownFeatures(await readFeatures(call, input, services), services, input.inheritance === 'true'),
  }),
  operation({
    id: 'features.set',
    summary: 'Switches features of the instance on and off',
    description: 'Those that are left out stay as they are. Effective everywhere within a second.',
    method: 'put',
    path: FEATURES_PATH,
    request: z.strictObject({ oidcTokenExchange: z.boolean().optional() }),
    example: { oidcTokenExchange: true },
    response: changed,
    permission: onInstance(managesInstance),
    target: features,
    handle: async (call: ManagementCall<InstanceStores>, input) => ({
      details: revisionDetails(await setFeatures(call, input)),
    }),
  }),
  operation({
    id: 'features.reset',
    summary: 'Gives every feature its default back',
    method: 'delete',
    path: FEATURES_PATH,
    response: changed,
    permission: onInstance(managesInstance),
    target: features,
    handle: async (call: ManagementCall<InstanceStores>) => ({
      details: revisionDetails(await resetFeatures(call)),
    }),
  }),
]

/** Features that settings of the operator switch on. */
interface OperatorFeatures {
  readonly takesClientDocuments: boolean
}

function shownFeatures(
  { set, revision }: InstanceFeatures,
  { takesClientDocuments }: OperatorFeatures,
  inheritance: boolean,
) {
  const shown = FEATURES.filter((name) => inheritance || set.has(name)).map((name) => [
    name,
    {
      enabled: set.get(name) ?? false,
      source: set.has(name) ? ('SOURCE_INSTANCE' as const) : ('SOURCE_UNSPECIFIED' as const),
    },
  ])
  return {
    details: revisionDetails(revision),
    ...Object.fromEntries(shown),
    ...((takesClientDocuments || inheritance) && {
      clientDocuments: {
        enabled: takesClientDocuments,
        source: takesClientDocuments ? ('SOURCE_SYSTEM' as const) : ('SOURCE_UNSPECIFIED' as const),
      },
    }),
  }
}

const securityPolicy = { kind: 'instance', id: 'security_policy' }

/**
 * Pages that ask for passwords are never framed: the setting exists for compatibility and can only be off.
 */
const embeddedIframe = z.strictObject({
  enabled: z.literal(false, 'may only be false: sign-in pages are never shown in a frame').optional(),
  allowedOrigins: z
    .array(z.string())
    .max(0, 'must be empty: sign-in pages are never shown in a frame')
    .optional(),
})

const rules = apiSettings(SECURITY_SETTINGS)

/** The security policy of the instance, written under `policies` and read under `settings`. */
export const securityPolicyOperations = [
  operation({
    id: 'security_policy.set',
    summary: 'Sets the security policy of the instance',
    description:
      'As a whole: what is left out is false, but iamSignInMaxAgeSeconds, iamRequiresMfa, requirePushedAuthorization and requireDpopNonce stay as they are. Effective everywhere within a second.',
    method: 'put',
    path: '/v2/policies/security',
    // Writers of protobuf leave out what is false.
    request: z.strictObject({
      ...z.strictObject(rules).partial().shape,
      enableImpersonation: rules.enableImpersonation.default(false),
      allowImpersonatedApiCalls: rules.allowImpersonatedApiCalls.default(false),
      embeddedIframe: embeddedIframe.optional(),
    }),
    example: { enableImpersonation: true },
    response: changed,
    permission: onInstance(managesInstance),
    target: securityPolicy,
    handle: async (call: ManagementCall<SecurityPolicyStores>, input) => ({
      details: revisionDetails(await setSecurityPolicy(call, input)),
    }),
  }),
  operation({
    id: 'security_policy.update',
    summary: 'Changes members of the security policy of the instance',
    description: 'A member that is left out stays as it is. Effective everywhere within a second.',
    method: 'patch',
    path: '/v2/policies/security',
    request: patch(rules),
    example: { iamRequiresMfa: true },
    response: changed,
    permission: onInstance(managesInstance),
    target: securityPolicy,
    handle: async (call: ManagementCall<SecurityPolicyStores>, input) => ({
      details: revisionDetails(await setSecurityPolicy(call, input)),
    }),
  }),
  operation({
    id: 'security_policy.read',
    summary: 'Shows the security policy of the instance',
    method: 'get',
    path: '/v2/settings/security',
    response: z
      .strictObject({
        details,
        settings: z.strictObject({
          embeddedIframe: z.strictObject({ enabled: z.literal(false), allowedOrigins: z.array(z.string()) }),
          ...rules,
        }),
      })
      .meta({ id: 'SecurityPolicy' }),
    permission: onInstance(viewsInstance),
    target: securityPolicy,
    async handle(call: ManagementCall<InstanceStores>, input, services: InstanceReads) {
      const { revision, ...policy } = await readSecurityPolicy(call, input, services)
      return {
        details: revisionDetails(revision),
        settings: { embeddedIframe: { enabled: false as const, allowedOrigins: [] }, ...policy },
      }
    },
  }),
]

export const secretOperations = [
  operation({
    id: 'secrets.rewrap',
    summary: 'Seals stored values under the first of the master keys of the directory',
    description:
      'Second factors, records that imports carry, undo records and answers for repeated calls; 2,000 in a call. Repeat it until done is true; then the other master keys may leave SIGNET_DIRECTORY_MASTER_KEY.',
    method: 'post',
    path: '/management/v1/secrets/rewrap',
    response: rewrapped,
    permission: onInstance(managesInstance),
    target: { kind: 'instance', id: 'secrets' },
    handle: rewrapSecrets,
  }),
]
