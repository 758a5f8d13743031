// Metadata that is imported again: a provider renews its keys. An import adds keys and takes none out, it changes no rule about
// signatures, and it changes the entity id or the host of the provider only where the caller says so for each of them.
import { createHash, X509Certificate } from 'node:crypto'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import { changeProvider, type ProviderStores, requireValid, shown } from './change-provider.ts'
import { type GivenMetadata, givenMetadata, type MetadataReader } from './given-metadata.ts'
import type { IdentityProvider, StoredProvider } from './identity-provider.ts'
import { requireProvider } from './require-provider.ts'
import type { SamlMetadata } from './saml-metadata.ts'
import { MOST_CERTIFICATES } from './saml-rules.ts'

interface Confirmations {
  readonly otherEntityId: boolean
  readonly otherHost: boolean
}

interface MemberChange {
  readonly member: 'issuer' | 'ssoUrl' | 'sloUrl'
  readonly before: string
  readonly after: string
}

interface ListedCertificate {
  /** SHA-256 of the DER in hexadecimal digits. */
  readonly fingerprint: string
  readonly validUntil: Date
  readonly state: 'added' | 'kept' | 'only_here'
}

interface MetadataImport {
  readonly applied: boolean
  readonly needs: readonly (keyof Confirmations)[]
  readonly changes: readonly MemberChange[]
  readonly certificates: readonly ListedCertificate[]
  readonly remarks: readonly string[]
  readonly provider: IdentityProvider
}

/** Imports metadata into a provider of SAML, or shows what that would change. */
export async function importMetadata(
  call: ManagementCall<ProviderStores>,
  {
    providerId,
    dryRun,
    ...given
  }: GivenMetadata & Confirmations & { readonly providerId: string; readonly dryRun: boolean },
  services: MetadataReader & { readonly stores: ProviderStores } & Pick<
      Tools,
      'masterKeys' | 'now' | 'random'
    >,
): Promise<MetadataImport> {
  requireSaml(await requireProvider(services.stores.identityProviders, providerId))
  const metadata = await givenMetadata(given, services)
  if (metadata === undefined) {
    throw invalidFields([{ field: 'metadata', rule: 'is required, or metadataUrl' }])
  }
  if (dryRun) {
    const provider = await requireProvider(services.stores.identityProviders, providerId)
    const plan = planOf(provider, metadata)
    const settings = { ...provider, ...changesOf(provider, metadata) }
    await requireValid(services.stores.identityProviders, {
      ...provider,
      settings,
      known: provider.roleMappings,
    })
    return { ...plan, applied: false, provider: shown(provider) }
  }
  return call.change(async (stores) => {
    const before = await requireProvider(stores.identityProviders, providerId)
    requireSaml(before)
    const plan = planOf(before, metadata)
    const unconfirmed = plan.needs.filter((flag) => !given[flag])
    if (unconfirmed.length > 0) {
      throw invalidFields(unconfirmed.map((field) => ({ field, rule: UNCONFIRMED[field] })))
    }
    const { result: provider, details } = await changeProvider(call, stores, before, {
      changes: changesOf(before, metadata),
      ...{ sealedSecret: before.sealedSecret, at: services.now(), sealing: services },
    })
    return { result: { ...plan, applied: true, provider }, details }
  })
}

const UNCONFIRMED: Readonly<Record<keyof Confirmations, string>> = {
  otherEntityId: 'must be true: the metadata has another entity id, by which no linked account is found',
  otherHost: 'must be true: the metadata leads people to another host',
}

function requireSaml({ type }: StoredProvider): void {
  if (type === 'saml') return
  throw invalidFields([{ field: 'metadata', rule: 'is for providers of type saml' }])
}

/** The members of the provider after an import. */
const changesOf = (before: StoredProvider, { issuer, ssoUrl, sloUrl, certificates }: SamlMetadata) => ({
  ...{ issuer, ssoUrl, sloUrl: sloUrl ?? before.sloUrl },
  certificates: [...new Set([...before.certificates, ...certificates])],
})

/** Says what an import changes. Throws ApiError where more certificates would be stored than a provider may have. */
function planOf(
  { issuer, ssoUrl, sloUrl, certificates }: StoredProvider,
  metadata: SamlMetadata,
): Omit<MetadataImport, 'applied' | 'provider'> {
  const added = metadata.certificates.filter((certificate) => !certificates.includes(certificate))
  if (certificates.length + added.length > MOST_CERTIFICATES) {
    throw invalidFields([
      {
        field: 'certificates',
        rule: `may have ${MOST_CERTIFICATES} at most, with those of the metadata; take old ones out of the provider first`,
      },
    ])
  }
  const pairs = [
    { member: 'issuer', before: issuer, after: metadata.issuer },
    { member: 'ssoUrl', before: ssoUrl ?? '', after: metadata.ssoUrl },
    { member: 'sloUrl', before: sloUrl ?? '', after: metadata.sloUrl ?? sloUrl ?? '' },
  ] as const
  // A first address of sign-outs is compared with that of sign-ins.
  const isOtherHost =
    originOf(metadata.ssoUrl) !== originOf(ssoUrl ?? '') ||
    (metadata.sloUrl !== undefined && originOf(metadata.sloUrl) !== originOf(sloUrl ?? ssoUrl ?? ''))
  const stateOf = (certificate: string) =>
    metadata.certificates.includes(certificate) ? 'kept' : 'only_here'
  return {
    needs: [
      ...(metadata.issuer === issuer ? [] : (['otherEntityId'] as const)),
      ...(isOtherHost ? (['otherHost'] as const) : []),
    ],
    changes: pairs.filter(({ before, after }) => before !== after),
    certificates: [
      ...certificates.map(
        (certificate) => ({ ...describe(certificate), state: stateOf(certificate) }) as const,
      ),
      ...added.map((certificate) => ({ ...describe(certificate), state: 'added' }) as const),
    ],
    remarks: metadata.remarks,
  }
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : '')

function describe(certificate: string) {
  const der = Buffer.from(certificate, 'base64')
  return {
    fingerprint: createHash('sha256').update(der).digest('hex'),
    validUntil: new X509Certificate(der).validToDate,
  }
}
