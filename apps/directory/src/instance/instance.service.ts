import type { Rewrapped } from '@signet/platform/sealing/rewrap'
import { changedValues, type ManagementCall, type Tools } from '../api/management-call.ts'
import type { ImpersonationStore } from '../impersonations/impersonation.repository.ts'
import type { SealedValueStore } from '../sealed-value.repository.ts'
import type { InstanceStore } from './instance.repository.ts'
import {
  FEATURES,
  type Feature,
  type InstanceFeatures,
  type NewSecurityPolicy,
  type Revision,
  type SecurityPolicy,
} from './instance-setting.ts'

/** The stores of the use cases of this file. */
export interface InstanceStores {
  readonly instance: InstanceStore
}

export interface SecurityPolicyStores extends InstanceStores {
  readonly impersonations: ImpersonationStore
}

/** The stores for reading; changes get theirs from the call. */
export interface InstanceReads {
  readonly stores: InstanceStores
}

/** Effective on every replica within a second of the answer, since readers follow the change feed. */
export function setFeatures(
  call: ManagementCall<InstanceStores>,
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
export function resetFeatures(call: ManagementCall<InstanceStores>): Promise<Revision> {
  return call.change(async ({ instance }) => ({ result: await instance.resetFeatures() }))
}

export function readFeatures(
  _call: ManagementCall<InstanceStores>,
  _input: object,
  { stores }: InstanceReads,
): Promise<InstanceFeatures> {
  return stores.instance.features()
}

/**
 * Sets the members that are given. Effective on every replica within a second of the answer, since readers follow the
 * change feed.
 */
export function setSecurityPolicy(
  call: ManagementCall<SecurityPolicyStores>,
  policy: NewSecurityPolicy,
): Promise<Revision> {
  const {
    enableImpersonation,
    allowImpersonatedApiCalls,
    iamSignInMaxAgeSeconds,
    iamRequiresMfa,
    requireDpopNonce,
  } = policy
  return call.change(async ({ instance, impersonations }) => {
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
        ...(requireDpopNonce !== undefined && { require_dpop_nonce: requireDpopNonce }),
        changes: changedValues(before, after),
      },
      epochs: await impersonations.endedHere(),
    }
  })
}

export function readSecurityPolicy(
  _call: ManagementCall<InstanceStores>,
  _input: object,
  { stores }: InstanceReads,
): Promise<SecurityPolicy> {
  return stores.instance.securityPolicy()
}

/** Seals stored values under the first of the master keys, 2,000 in a call. */
export function rewrapSecrets(
  call: ManagementCall<{ readonly sealedValues: SealedValueStore }>,
  _input: unknown,
  { masterKeys, random }: Pick<Tools, 'masterKeys' | 'random'>,
): Promise<Rewrapped> {
  return call.change(async ({ sealedValues }) => {
    const result = await sealedValues.rewrap(masterKeys, random)
    return { result, details: { rewrapped: result.rewrapped, unreadable: result.unreadable } }
  })
}
