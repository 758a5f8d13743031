import { FEATURES, type Feature, type InstanceSettings } from '../instance/instance-setting.ts'
import type { NewOrganization } from '../organizations/organization.repository.ts'
import { policyInForce } from '../organizations/policies.service.ts'
import {
  brokenFloors,
  brokenTogether,
  POLICY_NAMES,
  type PolicyKind,
  type PolicyName,
} from '../organizations/policy-rules.ts'
import {
  type BootstrapStores,
  type Fields,
  ObjectConflict,
  type ObjectWriter,
  ownerId,
  type ResolvedResource,
} from './object-writer.ts'

type Stores = Pick<BootstrapStores, 'organizations' | 'domains' | 'policies'>

/** Writes organizations with their domains and policies. */
export function organizationWriters({ organizations, domains, policies }: Stores) {
  const organization: ObjectWriter<NewOrganization> = {
    find: ({ id }) => organizations.find(id),
    create: ({ id }, values) => organizations.add({ id, ...values }),
    async update({ id }, values) {
      const { primaryDomain } = values
      // The operator of the instance writes the file, so the domain needs no further proof.
      if (primaryDomain !== undefined) {
        if ((await domains.find(id, primaryDomain)) === undefined)
          await domains.add(id, { domainName: primaryDomain, isVerified: true })
        else await domains.setVerified(id, primaryDomain, true)
      }
      await organizations.update(id, values)
    },
  }
  const domain: ObjectWriter<{ readonly isVerified: boolean }> = {
    find: (object) => domains.find(ownerId(object), object.id),
    create: (object, { isVerified }) => domains.add(ownerId(object), { domainName: object.id, isVerified }),
    update: (object, { isVerified = false }) => domains.setVerified(ownerId(object), object.id, isVerified),
  }
  /** A policy is one document; the members that the file changed are put into it, the others stay. */
  async function writePolicy(object: ResolvedResource, values: Fields, stored: Fields): Promise<void> {
    const kind = object.id as PolicyKind
    // The settings of the file are written before.
    const name = POLICY_NAMES[kind]
    const [broken] = [
      ...brokenFloors(name, values, await policies.floors()),
      ...newlyBroken(name, stored, { ...stored, ...values }),
    ]
    if (broken !== undefined) throw new ObjectConflict(broken.rule, { member: broken.member })
    await policies.set(ownerId(object), kind, { ...stored, ...values })
  }
  const policy: ObjectWriter = {
    find: (object) => policies.find(ownerId(object), object.id as PolicyKind),
    create: (object, values) => writePolicy(object, values, {}),
    update: writePolicy,
    inForce: (object) =>
      policyInForce(
        { organizations, policies },
        { organizationId: ownerId(object), kind: object.id as PolicyKind },
      ),
  }
  return { organization, domain, policy }
}

/** The rules that a policy breaks together and did not break before: an import may have stored such values. */
function newlyBroken(name: PolicyName, before: Fields, after: Fields) {
  const known = brokenTogether(name, before).map(({ member, rule }) => `${member} ${rule}`)
  return brokenTogether(name, after).filter(({ member, rule }) => !known.includes(`${member} ${rule}`))
}

/** Writes what holds for the whole instance. */
export function instanceWriters({ instance }: Pick<BootstrapStores, 'instance'>) {
  const setFeature = async ({ id }: ResolvedResource, { enabled }: { readonly enabled?: boolean }) => {
    const feature = FEATURES.find((name) => name === id)
    if (feature !== undefined && enabled !== undefined)
      await instance.setFeatures(new Map([[feature, enabled]]))
  }
  const feature: ObjectWriter<{ readonly enabled: boolean }> = {
    async find({ id }) {
      const enabled = (await instance.features()).set.get(id as Feature)
      return enabled === undefined ? undefined : { enabled }
    },
    create: setFeature,
    update: setFeature,
    inForce: async ({ id }) => ({ [id]: (await instance.features()).set.get(id as Feature) ?? false }),
  }
  const setSettings = (_: ResolvedResource, values: InstanceSettings) => instance.setSettings(values)
  const setting: ObjectWriter<InstanceSettings> = {
    find: () => instance.settings(),
    // A migration made the one row.
    create: setSettings,
    update: setSettings,
    inForce: async () => ({ ...(await instance.settings()) }),
  }
  return { feature, setting }
}
