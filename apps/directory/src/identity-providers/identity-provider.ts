import type { BrandingFile } from '@signet/protocol/branding-files'
import { PROVIDER_ROWS, type ProviderSettings } from '@signet/protocol/fields/identity-provider'
import type { ProviderType } from '@signet/protocol/identity-provider-types'
import type { PresetName } from './presets.ts'

/** Members whose change decides which identity an account belongs to, or what an identity is worth. */
export const DECIDING_MEMBERS = PROVIDER_ROWS.flatMap(([member, { decides }]) => (decides ? [member] : []))

export interface IdentityProvider extends ProviderSettings {
  readonly id: string
  readonly organizationId: string
  readonly type: ProviderType
  readonly preset: PresetName | null
  readonly hasSecret: boolean
  /** Certificates of the keys of Signet at a SAML provider, DER in base64, the oldest first. No administrator sets them. */
  readonly ownCertificates: readonly string[]
  readonly state: 'active' | 'inactive'
  /** The picture of its button; null: it has none. */
  readonly logo: BrandingFile | null
  /** Whether people may sign in by it: its organization and the login policy of that decide too. */
  readonly usable: boolean
  /** Day of the latest sign-in by it, in UTC; null: none is known. */
  readonly lastUsedOn: string | null
  readonly createdAt: Date
  readonly changedAt: Date
}

/** A provider with its sealed secrets. */
export interface StoredProvider
  extends Omit<IdentityProvider, 'hasSecret' | 'lastUsedOn' | 'logo' | 'usable'> {
  readonly sealedSecret: Buffer | null
  /** The private keys of `ownCertificates`; null without one. */
  readonly sealedOwnKeys: Buffer | null
}

/** A provider with its use and its picture. */
export interface FoundProvider
  extends StoredProvider,
    Pick<IdentityProvider, 'lastUsedOn' | 'logo' | 'usable'> {}

/** The link of an account to an identity at a provider. */
export interface IdentityLink {
  readonly id: string
  readonly userId: string
  readonly providerId: string
  readonly issuer: string
  readonly subject: string
  readonly displayName: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** Number of providers of one organization. */
export const MOST_PROVIDERS = 100

/** Number of links of one account. */
export const MOST_LINKS = 20
