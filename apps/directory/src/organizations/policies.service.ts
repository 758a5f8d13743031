import { invalidFields } from '@signet/admin-api/json-error-handler'
import {
  changedFields,
  type ManagementCall,
  type ManagementServices,
  type ManagementStores,
} from '../management-api/management-call.ts'
import { effectiveMembers } from './effective-policy.ts'
import { requireOrganization } from './organizations.service.ts'
import {
  brokenFloors,
  brokenTogether,
  membersNotObeyed,
  POLICY_NAMES,
  type Policy,
  type PolicyKind,
} from './policy-rules.ts'

interface Target {
  readonly organizationId: string
  readonly kind: PolicyKind
}

export function readPolicy(
  _call: ManagementCall,
  target: Target,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Policy> {
  return findPolicy(stores, target)
}

/** Puts a policy as a whole; effective everywhere within a second. Refuses what is more lenient than the instance. */
export function setPolicy(
  call: ManagementCall,
  { organizationId, kind, policy }: Target & { readonly policy: object },
): Promise<Policy> {
  return call.change(async (stores) => {
    await requireOrganization(stores.organizations, organizationId)
    const name = POLICY_NAMES[kind]
    const floors = await stores.policies.floors()
    const broken = [...brokenTogether(name, { ...policy }), ...brokenFloors(name, { ...policy }, floors)]
    if (broken.length > 0) throw invalidFields(broken.map(({ member, rule }) => ({ field: member, rule })))
    await stores.policies.set(organizationId, kind, policy)
    return { result: await findPolicy(stores, { organizationId, kind }), details: changedFields(policy) }
  })
}

/** Lets the defaults hold again; where they hold already nothing changes. */
export function resetPolicy(call: ManagementCall, { organizationId, kind }: Target): Promise<void> {
  return call.change(async ({ organizations, policies }) => {
    await requireOrganization(organizations, organizationId)
    await policies.delete(organizationId, kind)
    return { result: undefined }
  })
}

async function findPolicy(
  { organizations, policies }: Pick<ManagementStores, 'organizations' | 'policies'>,
  { organizationId, kind }: Target,
): Promise<Policy> {
  await requireOrganization(organizations, organizationId)
  const policy = await policies.find(organizationId, kind)
  const floors = await policies.floors()
  const effective = effectiveMembers(POLICY_NAMES[kind], policy, floors)
  if (policy === undefined) return { isDefault: true, policy: {}, notObeyed: [], effective }
  const below = brokenFloors(POLICY_NAMES[kind], policy, floors)
  const notObeyed = [...membersNotObeyed(POLICY_NAMES[kind], policy), ...below.map(({ member }) => member)]
  return { isDefault: false, policy, notObeyed, effective }
}
