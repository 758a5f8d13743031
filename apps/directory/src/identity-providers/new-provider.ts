// The parts of a change of a provider that the management API and the bootstrap file share.
import { type RandomBytes, sealValue } from '@signet/platform/sealing/sealed-value'
import { readClientKey } from '@signet/protocol/client-key'
import type { GivenMember, ProviderSettings, RoleMapping } from '@signet/protocol/fields/identity-provider'
import type { ProviderType } from '@signet/protocol/identity-provider-types'
import { identityProviderPurpose } from '../sealing/purposes.ts'
import { secretKind } from './apple-rules.ts'
import { GITHUB_DEFAULTS, githubScopes } from './github-rules.ts'
import type { IdentityProviderStore } from './identity-provider.repository.ts'
import { PROVIDER_DEFAULTS, type ProviderProblem, providerProblems } from './identity-provider.schema.ts'
import { ldapDefaults } from './ldap-rules.ts'
import { entraTenant, NO_PRESET, PRESETS, type Preset, type PresetName } from './presets.ts'
import { storedCertificate } from './saml-rules.ts'

/** Members that a request or a file names; one without a value keeps its stored or its default value. */
export type GivenSettings = { readonly [M in GivenMember]?: ProviderSettings[M] | undefined }

/** The settings of a new provider, with the defaults of its preset. The issuer is empty where neither names one. */
export function newProviderSettings(
  type: ProviderType,
  preset: PresetName | null,
  given: GivenSettings & Pick<ProviderSettings, 'name' | 'clientId'>,
): ProviderSettings {
  return { clientPublicJwk: null, ...defaultsOf(type, preset, given) }
}

function defaultsOf(
  type: ProviderType,
  preset: PresetName | null,
  given: GivenSettings & Pick<ProviderSettings, 'name' | 'clientId'>,
): Omit<ProviderSettings, 'clientPublicJwk'> {
  if (type === 'saml') {
    const ofType = { issuer: '', scopes: [], clientAuthentication: 'none' } as const
    return withStoredForm({ ...PROVIDER_DEFAULTS, ...ofType, ...withoutUndefined(given) })
  }
  if (type === 'ldap') {
    return withStoredForm({ ...PROVIDER_DEFAULTS, ...ldapDefaults(given.baseDn), ...withoutUndefined(given) })
  }
  if (type === 'github') {
    const ofType = { ...GITHUB_DEFAULTS, scopes: githubScopes(given) }
    return { ...PROVIDER_DEFAULTS, ...ofType, ...withoutUndefined(given) }
  }
  const chosen: Preset = preset === null ? NO_PRESET : PRESETS[preset]
  const { issuer = chosen.issuer ?? '' } = given
  const entra = entraTenant(issuer)
  const ofPreset = {
    ...{ issuer, scopes: chosen.scopes },
    ...(chosen.subjectClaim !== undefined && { subjectClaim: chosen.subjectClaim }),
    ...(chosen.clientAuthentication && { clientAuthentication: chosen.clientAuthentication }),
    ...(entra !== undefined && !entra.isShared && { requiredClaims: { tid: entra.tenant } }),
  }
  return { ...PROVIDER_DEFAULTS, ...ofPreset, ...withoutUndefined(given) }
}

/** The settings of a provider as they are stored: certificates that can be read are DER in base64. */
export function withStoredForm<T extends Pick<ProviderSettings, 'certificates'>>(settings: T): T {
  const certificates = settings.certificates.map((text) => storedCertificate(text) ?? text)
  return { ...settings, certificates: [...new Set(certificates)] }
}

export interface CheckedProvider {
  readonly organizationId: string
  readonly type: ProviderType
  readonly settings: ProviderSettings
  readonly sealedSecret: Buffer | null
  /** The secret that comes with the change. */
  readonly givenSecret?: string | null | undefined
  /** Mappings that it had before; one may name a role that was deleted since. */
  readonly known?: readonly RoleMapping[]
  /** The client id that it had before, whose application may have been deleted since. */
  readonly knownClientId?: string | null
}

/** The rules that a provider breaks, those about stored projects and roles included. */
export async function problemsOfProvider(
  identityProviders: Pick<IdentityProviderStore, 'hasApplication' | 'unknownRoles'>,
  { organizationId, type, settings, sealedSecret, givenSecret, known = [], knownClientId }: CheckedProvider,
): Promise<readonly ProviderProblem[]> {
  const texts = new Set(known.map((mapping) => JSON.stringify(mapping)))
  const isNew = (mapping: RoleMapping) => !texts.has(JSON.stringify(mapping))
  const unknown = await identityProviders.unknownRoles(organizationId, settings.roleMappings.filter(isNew))
  const { providerInitiatedClientId: clientId } = settings
  const isKnown =
    clientId === null ||
    clientId === knownClientId ||
    (await identityProviders.hasApplication(organizationId, clientId))
  return [
    ...providerProblems({
      ...{ ...settings, type, hasSecret: sealedSecret !== null },
      givenSecret: givenSecret ?? undefined,
    }),
    ...unknown.map(({ projectId, role }) => ({
      field: 'roleMappings',
      rule: `must name roles of projects of the organization; there is no ${role} in ${projectId}`,
    })),
    ...(isKnown
      ? []
      : [
          {
            field: 'providerInitiatedClientId',
            rule: 'must be the client id of an application of the organization',
          },
        ]),
  ]
}

interface Sealing {
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
}

/** The secret of a provider as it is stored. */
export function sealSecret(
  id: string,
  secret: string | null,
  { masterKeys, random }: Sealing,
): Buffer | null {
  return secret === null
    ? null
    : sealValue(masterKeys, Buffer.from(secret), identityProviderPurpose(id), random)
}

/** The settings with the public half of a new secret; null: the secret is taken away. */
export function withPublicJwk<T extends Pick<ProviderSettings, 'clientAuthentication'>>(
  settings: T,
  secret: string | null,
): T & Pick<ProviderSettings, 'clientPublicJwk'> {
  const isKey = secret !== null && settings.clientAuthentication === 'private_key_jwt'
  const read = isKey ? readClientKey(secret) : undefined
  return { ...settings, clientPublicJwk: read === undefined || 'problem' in read ? null : read.publicJwk }
}

type Receiver = Pick<ProviderSettings, 'clientAuthentication' | 'issuer' | 'servers'>

/**
 * The rule for a change of where the secret goes, or of what it is: a stored one goes to no other place than that which it was given for,
 * and a private key is never sent as a secret.
 */
export function secretProblem(before: Receiver, after: Receiver): string | undefined {
  if (after.issuer !== before.issuer)
    return 'must be given again with another issuer: the stored one is for the issuer of before'
  const [kind, was] = [after, before].map((one) => secretKind(one.clientAuthentication))
  if (kind !== was && after.clientAuthentication !== 'none')
    return `must be given again for ${after.clientAuthentication}: the stored one is ${was === 'secret' ? 'no private key' : 'a private key'}`
  // GHSA-c25h-c27q-5qpv.
  if (after.servers.some((server) => !before.servers.includes(server)))
    return 'must be given again with another server: the stored one is for the servers of before'
  return undefined
}

export function withoutUndefined<T extends object>(given: T) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [M in keyof T]: Exclude<T[M], undefined>
  }
}
