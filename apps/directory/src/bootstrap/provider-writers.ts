import type { ProviderSettings } from '@signet/protocol/fields/identity-provider'
import type { ProviderType } from '@signet/protocol/identity-provider-types'
import type { IdentityProvider, StoredProvider } from '../identity-providers/identity-provider.ts'
import {
  type CheckedProvider,
  newProviderSettings,
  problemsOfProvider,
  sealSecret,
  secretProblem,
  withPublicJwk,
  withStoredForm,
} from '../identity-providers/new-provider.ts'
import { NO_OWN_KEYS, withOwnKey } from '../identity-providers/own-keys.ts'
import type { PresetName } from '../identity-providers/presets.ts'
import {
  type BootstrapStores,
  ObjectConflict,
  type ObjectWriter,
  type ObjectWriting,
  ownerId,
  type ResolvedResource,
} from './object-writer.ts'

type ProviderFields = Partial<ProviderSettings> &
  Pick<ProviderSettings, 'name' | 'clientId'> & {
    readonly type?: ProviderType
    readonly preset?: PresetName
    readonly clientSecret?: string
    readonly state?: IdentityProvider['state']
  }

/** Writes the identity providers of organizations. */
export function providerWriters(
  { identityProviders }: Pick<BootstrapStores, 'identityProviders'>,
  { now, ...sealing }: Pick<ObjectWriting, 'now' | 'masterKeys' | 'random'>,
) {
  /** Throws ObjectConflict with the first rule that the provider breaks. */
  async function requireSound(
    object: ResolvedResource,
    checkedMembers: Pick<
      CheckedProvider,
      'givenSecret' | 'knownClientId' | 'settings' | 'sealedSecret' | 'type'
    >,
  ): Promise<void> {
    const checked = { organizationId: ownerId(object), ...checkedMembers }
    const [problem] = await problemsOfProvider(identityProviders, checked)
    if (problem !== undefined) throw new ObjectConflict(problem.rule, { member: problem.field })
  }

  const identity_provider: ObjectWriter<ProviderFields> = {
    async find(object) {
      const stored = await identityProviders.find(object.id)
      return stored !== undefined && stored.organizationId !== ownerId(object) ? 'elsewhere' : stored
    },
    async create(object, { type = 'oidc', preset = null, clientSecret = null, state = 'active', ...given }) {
      const settings = withPublicJwk(newProviderSettings(type, preset, given), clientSecret)
      const sealedSecret = sealSecret(object.id, clientSecret, sealing)
      await requireSound(object, { type, settings, sealedSecret, givenSecret: clientSecret })
      const keyed = await withOwnKey(object.id, { ...settings, ...NO_OWN_KEYS }, { now, ...sealing })
      await identityProviders.add({
        ...{ id: object.id, organizationId: ownerId(object), type, preset, ...keyed },
        ...{ sealedSecret, state, createdAt: now(), changedAt: now() },
      })
    },
    async update(object, { type, preset, clientSecret: changed, state, ...changes }, before) {
      const stored = before as unknown as StoredProvider
      if (type !== undefined && type !== stored.type)
        throw new ObjectConflict('cannot be changed', { member: 'type' })
      const members = withStoredForm({ ...stored, ...changes })
      const stated = object.declared.fields.find(({ name }) => name === 'clientSecret')?.value
      const rule = secretProblem(stored, members)
      if (rule !== undefined && stored.sealedSecret !== null && stated === undefined)
        throw new ObjectConflict(rule, { member: 'clientSecret' })
      // The stored secret may be another one than that of the file, which is unchanged.
      const clientSecret = rule === undefined ? changed : (stated as string | undefined)
      const settings = clientSecret === undefined ? members : withPublicJwk(members, clientSecret)
      const sealedSecret =
        clientSecret === undefined ? stored.sealedSecret : sealSecret(object.id, clientSecret, sealing)
      await requireSound(object, {
        ...{ type: stored.type, settings, sealedSecret, givenSecret: clientSecret },
        knownClientId: stored.providerInitiatedClientId,
      })
      const keyed = await withOwnKey(object.id, settings, { now, ...sealing })
      await identityProviders.update(object.id, { ...keyed, sealedSecret }, now())
      if (state !== undefined) await identityProviders.setState(object.id, state, now())
    },
  }
  return { identity_provider }
}
