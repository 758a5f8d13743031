import { requireRole } from '@signet/bearer-authentication/require-role'
import { callEvent, type ManagementCall } from '../audit/audit-event.ts'
import { managesInstance, viewsInstance } from '../permissions/sufficient-roles.ts'
import type { InstanceStore } from '../stores/instance-store.ts'
import type { Feature, InstanceFeatures, Revision } from './instance-setting.ts'

/** Effective on every replica within a second of the answer, since readers follow the change feed. */
export function setFeatures(instance: InstanceStore) {
  return async (call: ManagementCall, wanted: ReadonlyMap<Feature, boolean>): Promise<Revision> => {
    requireRole(call.caller, managesInstance())
    return instance.setFeatures(
      wanted,
      callEvent(call, { result: 'success', details: Object.fromEntries(wanted) }),
    )
  }
}

/** Gives every feature its default back. */
export function resetFeatures(instance: InstanceStore) {
  return async (call: ManagementCall): Promise<Revision> => {
    requireRole(call.caller, managesInstance())
    return instance.resetFeatures(callEvent(call, { result: 'success' }))
  }
}

export function readFeatures(instance: InstanceStore) {
  return async (call: ManagementCall): Promise<InstanceFeatures> => {
    requireRole(call.caller, viewsInstance())
    return instance.features()
  }
}
