import { z } from 'zod'
import { readSecurityPolicy, setSecurityPolicy } from '../../instance/security-policy.ts'
import { onInstance } from '../../permissions/permission.ts'
import { managesInstance, viewsInstance } from '../../permissions/sufficient-roles.ts'
import { operation } from '../operation.ts'
import { changed, details, revisionDetails } from './revision-details.ts'

const target = { kind: 'instance', id: 'security_policy' }

/** Pages that ask for passwords are never framed: what other products let one switch on can only be off here. */
const embeddedIframe = z.strictObject({
  enabled: z.literal(false, 'may only be false: sign-in pages are never shown in a frame').optional(),
  allowedOrigins: z
    .array(z.string())
    .max(0, 'must be empty: sign-in pages are never shown in a frame')
    .optional(),
})

/** The security policy of the instance, written under `policies` and read under `settings`. */
export const securityPolicyOperations = [
  operation({
    id: 'security_policy.set',
    summary: 'Sets the security policy of the instance',
    description: 'As a whole: what is left out is false. Effective everywhere within a second.',
    method: 'put',
    path: '/v2/policies/security',
    // Writers of protobuf leave out what is false.
    request: z.strictObject({
      enableImpersonation: z.boolean().default(false),
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
        }),
      })
      .meta({ id: 'SecurityPolicy' }),
    permission: onInstance(viewsInstance),
    target,
    async handle(call, input, services) {
      const { enableImpersonation, revision } = await readSecurityPolicy(call, input, services)
      return {
        details: revisionDetails(revision),
        settings: { embeddedIframe: { enabled: false as const, allowedOrigins: [] }, enableImpersonation },
      }
    },
  }),
]
