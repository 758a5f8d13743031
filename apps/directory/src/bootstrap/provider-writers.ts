import type {
  IdentityProvider,
  ProviderSettings,
  StoredProvider,
} from '../identity-providers/identity-provider.ts'
import {
  newProviderSettings,
  problemsOfProvider,
  SECRET_OF_ISSUER,
  sealSecret,
} from '../identity-providers/new-provider.ts'
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
    settings: ProviderSettings,
    sealedSecret: Buffer | null,
  ): Promise<void> {
    const checked = { organizationId: ownerId(object), settings, sealedSecret }
    const [problem] = await problemsOfProvider(identityProviders, checked)
    if (problem !== undefined) throw new ObjectConflict(problem.rule, { member: problem.field })
  }

  const identity_provider: ObjectWriter<ProviderFields> = {
    async find(object) {
      const stored = await identityProviders.find(object.id)
      return stored !== undefined && stored.organizationId !== ownerId(object) ? 'elsewhere' : stored
    },
    async create(object, { preset = null, clientSecret = null, state = 'active', ...given }) {
      const settings = newProviderSettings(preset, given)
      const sealedSecret = sealSecret(object.id, clientSecret, sealing)
      await requireSound(object, settings, sealedSecret)
      await identityProviders.add({
        ...{ id: object.id, organizationId: ownerId(object), type: 'oidc', preset, ...settings },
        ...{ sealedSecret, state, createdAt: now(), changedAt: now() },
      })
    },
    async update(object, { preset, clientSecret, state, ...changes }, before) {
      const stored = before as unknown as StoredProvider
      const settings = { ...stored, ...changes }
      const statesSecret = object.declared.fields.some(({ name }) => name === 'clientSecret')
      if (settings.issuer !== stored.issuer && stored.sealedSecret !== null && !statesSecret)
        throw new ObjectConflict(SECRET_OF_ISSUER, { member: 'clientSecret' })
      const sealedSecret =
        clientSecret === undefined ? stored.sealedSecret : sealSecret(object.id, clientSecret, sealing)
      await requireSound(object, settings, sealedSecret)
      await identityProviders.update(object.id, { ...settings, sealedSecret }, now())
      if (state !== undefined) await identityProviders.setState(object.id, state, now())
    },
  }
  return { identity_provider }
}
