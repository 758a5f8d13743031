import type { ManagementCall, ManagementServices } from '../management-api/management-call.ts'
import type { NewSecurityPolicy, Revision, SecurityPolicy } from './instance-setting.ts'

/** Effective on every replica within a second of the answer, since readers follow the change feed. */
export function setSecurityPolicy(call: ManagementCall, policy: NewSecurityPolicy): Promise<Revision> {
  const { enableImpersonation, allowImpersonatedApiCalls, iamSignInMaxAgeSeconds, iamRequiresMfa } = policy
  return call.change(async ({ instance }) => ({
    result: await instance.setSecurityPolicy(policy),
    details: {
      enable_impersonation: enableImpersonation,
      ...(allowImpersonatedApiCalls && { allow_impersonated_api_calls: true }),
      ...(iamSignInMaxAgeSeconds !== undefined && {
        iam_sign_in_max_age_seconds: iamSignInMaxAgeSeconds ?? 'any',
      }),
      ...(iamRequiresMfa !== undefined && { iam_requires_mfa: iamRequiresMfa }),
    },
  }))
}

export function readSecurityPolicy(
  _call: ManagementCall,
  _input: object,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<SecurityPolicy> {
  return stores.instance.securityPolicy()
}
