import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Revision, SecurityPolicy } from './instance-setting.ts'

/** Effective on every replica within a second of the answer, since readers follow the change feed. */
export function setSecurityPolicy(
  call: ManagementCall,
  { enableImpersonation }: { readonly enableImpersonation: boolean },
): Promise<Revision> {
  return call.change(async ({ instance }) => ({
    result: await instance.setImpersonation(enableImpersonation),
    details: { enable_impersonation: enableImpersonation },
  }))
}

export function readSecurityPolicy(
  _call: ManagementCall,
  _input: object,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<SecurityPolicy> {
  return stores.instance.securityPolicy()
}
