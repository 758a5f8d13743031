// The kinds of identity providers that Signet knows, with the members that one gets at its creation where the request leaves
// them out. A preset is stored as a label: later it changes nothing but the picture of the button.

export interface Preset {
  readonly issuer?: string
  readonly scopes: readonly string[]
  readonly subjectClaim?: string
  readonly clientAuthentication?: 'apple_client_secret'
}

const SCOPES = ['openid', 'profile', 'email']

export const PRESETS = {
  /** The provider signs in people of one Google Workspace domain only where requiredClaims has hd. */
  google: { issuer: 'https://accounts.google.com', scopes: SCOPES },
  /** `sub` differs from one application to the next, `oid` does not. */
  entra: { scopes: SCOPES, subjectClaim: 'oid' },
  okta: { scopes: SCOPES },
  auth0: { scopes: SCOPES },
  keycloak: { scopes: SCOPES },
  /** Apple sends names once, beside the code, and addresses in the ID token. */
  apple: {
    issuer: 'https://appleid.apple.com',
    scopes: ['openid', 'name', 'email'],
    clientAuthentication: 'apple_client_secret',
  },
  gitlab: { issuer: 'https://gitlab.com', scopes: SCOPES },
} as const satisfies Readonly<Record<string, Preset>>

export type PresetName = keyof typeof PRESETS

export const PRESET_NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]]

/** Members of a provider without a preset. */
export const NO_PRESET: Preset = { scopes: SCOPES }

const ENTRA_HOST = 'login.microsoftonline.com'

/** The tenants by which people of every tenant sign in. */
const SHARED_TENANTS: ReadonlySet<string> = new Set(['common', 'organizations', 'consumers'])

/** The tenant in the issuer of Entra ID; undefined for another issuer. */
export function entraTenant(
  issuer: string,
): { readonly tenant: string; readonly isShared: boolean } | undefined {
  if (!URL.canParse(issuer)) return undefined
  const { hostname, pathname } = new URL(issuer)
  if (hostname !== ENTRA_HOST) return undefined
  const tenant = pathname.split('/')[1] ?? ''
  return { tenant, isShared: SHARED_TENANTS.has(tenant.toLowerCase()) }
}
