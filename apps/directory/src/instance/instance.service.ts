import {
  changedValues,
  type ManagementCall,
  type ManagementServices,
} from '../management-api/management-call.ts'
import {
  FEATURES,
  type Feature,
  type InstanceFeatures,
  type NewSecurityPolicy,
  type Revision,
  type SecurityPolicy,
} from './instance-setting.ts'

/** Effective on every replica within a second of the answer, since readers follow the change feed. */
export function setFeatures(
  call: ManagementCall,
  wanted: { readonly [F in Feature]?: boolean | undefined },
): Promise<Revision> {
  const given = FEATURES.flatMap((feature) => {
    const enabled = wanted[feature]
    return enabled === undefined ? [] : [[feature, enabled] as const]
  })
  return call.change(async ({ instance }) => ({
    result: await instance.setFeatures(new Map(given)),
    details: Object.fromEntries(given),
  }))
}

/** Gives every feature its default back. */
export function resetFeatures(call: ManagementCall): Promise<Revision> {
  return call.change(async ({ instance }) => ({ result: await instance.resetFeatures() }))
}

export function readFeatures(
  _call: ManagementCall,
  _input: object,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<InstanceFeatures> {
  return stores.instance.features()
}

/**
 * Sets the members that are given. Effective on every replica within a second of the answer, since readers follow the
 * change feed.
 */
export function setSecurityPolicy(call: ManagementCall, policy: NewSecurityPolicy): Promise<Revision> {
  const { enableImpersonation, allowImpersonatedApiCalls, iamSignInMaxAgeSeconds, iamRequiresMfa } = policy
  return call.change(async ({ instance }) => {
    const { revision: _, ...before } = await instance.securityPolicy()
    const result = await instance.setSecurityPolicy(policy)
    const { revision: __, ...after } = await instance.securityPolicy()
    return {
      result,
      details: {
        ...(enableImpersonation !== undefined && { enable_impersonation: enableImpersonation }),
        ...(allowImpersonatedApiCalls && { allow_impersonated_api_calls: true }),
        ...(iamSignInMaxAgeSeconds !== undefined && {
          iam_sign_in_max_age_seconds: iamSignInMaxAgeSeconds ?? 'any',
        }),
        ...(iamRequiresMfa !== undefined && { iam_requires_mfa: iamRequiresMfa }),
        changes: changedValues(before, after),
      },
    }
  })
}

export function readSecurityPolicy(
  _call: ManagementCall,
  _input: object,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<SecurityPolicy> {
  return stores.instance.securityPolicy()
}
