import { z } from 'zod'
import { operation } from '../management-api/operation.ts'
import { managesInstance, onInstance, viewsInstance } from '../permissions/permission.ts'
import { changed, details, revisionDetails } from './instance-setting.ts'
import { readSecurityPolicy, setSecurityPolicy } from './security-policy.service.ts'

const target = { kind: 'instance', id: 'security_policy' }

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

const callerRules = {
  allowImpersonatedApiCalls: z
    .boolean()
    .describe('Whether our APIs accept tokens with an act claim, which an impersonator holds.'),
  iamSignInMaxAgeSeconds: z
    .int()
    .min(60, 'must be 60 or more')
    .max(2_592_000, 'may be 2592000 at most')
    .nullable()
    .describe(
      'How old the sign-in of a person may be whose IAM_ roles count at the APIs. Null: any age. Service users are excepted; personal access tokens of people carry no sign-in and are refused.',
    ),
  iamRequiresMfa: z
    .boolean()
    .describe(
      'IAM_ roles of a person count at the APIs only after a sign-in with a second factor. Service users are excepted; personal access tokens of people are not.',
    ),
}

/** The security policy of the instance, written under `policies` and read under `settings`. */
export const securityPolicyOperations = [
  operation({
    id: 'security_policy.set',
    summary: 'Sets the security policy of the instance',
    description:
      'As a whole: what is left out is false, but iamSignInMaxAgeSeconds and iamRequiresMfa stay as they are. Effective everywhere within a second.',
    method: 'put',
    path: '/v2/policies/security',
    // Writers of protobuf leave out what is false.
    request: z.strictObject({
      enableImpersonation: z.boolean().default(false),
      allowImpersonatedApiCalls: callerRules.allowImpersonatedApiCalls.default(false),
      iamSignInMaxAgeSeconds: callerRules.iamSignInMaxAgeSeconds.optional(),
      iamRequiresMfa: callerRules.iamRequiresMfa.optional(),
      embeddedIframe: embeddedIframe.optional(),
    }),
    example: { enableImpersonation: true },
    response: changed,
    permission: onInstance(managesInstance),
    target,
    handle: async (call, input) => ({ details: revisionDetails(await setSecurityPolicy(call, input)) }),
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
          enableImpersonation: z.boolean(),
          ...callerRules,
        }),
      })
      .meta({ id: 'SecurityPolicy' }),
    permission: onInstance(viewsInstance),
    target,
    async handle(call, input, services) {
      const { revision, ...policy } = await readSecurityPolicy(call, input, services)
      return {
        details: revisionDetails(revision),
        settings: { embeddedIframe: { enabled: false as const, allowedOrigins: [] }, ...policy },
      }
    },
  }),
]
