import { requireRole } from '@signet/bearer-authentication/require-role'
import { callEvent, type ManagementCall } from '../audit/audit-event.ts'
import { managesInstance, viewsInstance } from '../permissions/sufficient-roles.ts'
import type { InstanceStore } from '../stores/instance-store.ts'
import type { Revision, SecurityPolicy } from './instance-setting.ts'

/** Effective on every replica within a second of the answer, since readers follow the change feed. */
export function setSecurityPolicy(instance: InstanceStore) {
  return async (call: ManagementCall, enableImpersonation: boolean): Promise<Revision> => {
    requireRole(call.caller, managesInstance())
    const event = callEvent(call, {
      result: 'success',
      details: { enable_impersonation: enableImpersonation },
    })
    return instance.setImpersonation(enableImpersonation, event)
  }
}

export function readSecurityPolicy(instance: InstanceStore) {
  return async (call: ManagementCall): Promise<SecurityPolicy> => {
    requireRole(call.caller, viewsInstance())
    return instance.securityPolicy()
  }
}
