import { jsonBody } from '@signet/http-server/json-body'
import { noStore } from '@signet/http-server/response-headers'
import { Router } from 'express'
import { z } from 'zod'
import type { ManagementCall } from '../audit/audit-event.ts'
import type { Revision, SecurityPolicy } from '../instance/instance-setting.ts'
import type { ManagementRoutes } from './management-route.ts'
import { revisionDetails } from './revision-details.ts'

/** Pages that ask for passwords are never framed: what other products let one switch on can only be off here. */
const embeddedIframe = z.strictObject({
  enabled: z.literal(false, 'may only be false: sign-in pages are never shown in a frame').optional(),
  allowedOrigins: z
    .array(z.string())
    .max(0, 'must be empty: sign-in pages are never shown in a frame')
    .optional(),
})

/** A policy is put as a whole, and writers of protobuf leave out what is false. */
const securityPolicy = z.strictObject({
  enableImpersonation: z.boolean().default(false),
  embeddedIframe: embeddedIframe.optional(),
})

interface Dependencies {
  readonly routes: ManagementRoutes
  readonly readSecurityPolicy: (call: ManagementCall) => Promise<SecurityPolicy>
  readonly setSecurityPolicy: (call: ManagementCall, enableImpersonation: boolean) => Promise<Revision>
}

const TARGET = { kind: 'instance', id: 'security_policy' }

/** The security policy of the instance, written under `policies` and read under `settings`. */
export function securityPolicyRoutes(dependencies: Dependencies): Router {
  const { routes, readSecurityPolicy, setSecurityPolicy } = dependencies
  return Router()
    .put(
      '/v2/policies/security',
      noStore,
      jsonBody(),
      routes.change('security_policy.set', TARGET, async (call, req, res) => {
        const { enableImpersonation } = securityPolicy.parse(req.body)
        res.json({ details: revisionDetails(await setSecurityPolicy(call, enableImpersonation)) })
      }),
    )
    .get(
      '/v2/settings/security',
      noStore,
      routes.look('security_policy.read', TARGET, async (call) => {
        const { enableImpersonation, revision } = await readSecurityPolicy(call)
        return {
          details: revisionDetails(revision),
          settings: { embeddedIframe: { enabled: false, allowedOrigins: [] }, enableImpersonation },
        }
      }),
    )
}
