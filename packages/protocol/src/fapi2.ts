import { type ClientAuthMethod, GRANT_TYPES, TLS_AUTH_METHODS } from './grant-types.ts'
import {
  CLIENT_ASSERTION_ALGORITHMS,
  type ClientAssertionAlgorithm,
  type SigningAlgorithm,
} from './signing-algorithms.ts'

// FAPI 2.0 Security Profile, Final: the rules of the setting `fapi2` of an application. Pushed requests, PKCE and bound access tokens are
// demanded by the view of clients, which sets their flags.

const SECTION = 'FAPI 2.0 Security Profile section'

/** Section 5.3.2.1, rule 6: clients authenticate with a key or a certificate. */
const AUTH_METHODS: readonly ClientAuthMethod[] = ['private_key_jwt', ...TLS_AUTH_METHODS]

/** The registered methods that a client may use. */
export const fapi2Methods = (
  { fapi2 }: { readonly fapi2: boolean },
  registered: readonly ClientAuthMethod[],
): readonly ClientAuthMethod[] =>
  fapi2 ? registered.filter((method) => AUTH_METHODS.includes(method)) : registered

/** Section 5.4.1: PS256, ES256 or EdDSA with Ed25519. */
const ALGORITHMS = CLIENT_ASSERTION_ALGORITHMS.filter((algorithm) => algorithm !== 'RS256')

/** The algorithms with which a client may sign its assertions and request objects. */
export const clientAlgorithms = ({
  fapi2,
}: {
  readonly fapi2: boolean
}): readonly ClientAssertionAlgorithm[] => (fapi2 ? ALGORITHMS : CLIENT_ASSERTION_ALGORITHMS)

interface Settings {
  readonly authMethod?: string | undefined
  readonly responseTypes?: readonly string[] | undefined
  readonly grantTypes?: readonly string[] | undefined
  readonly pkceOptional?: boolean | undefined
  readonly devMode?: boolean | undefined
  readonly idTokenSigningAlg?: SigningAlgorithm | string | undefined
  readonly accessTokenType?: string | undefined
  readonly accessTokenSigningAlg?: SigningAlgorithm | string | undefined
}

interface Problem {
  readonly field: keyof Settings
  readonly rule: string
}

/** Returns the settings of an application with `fapi2` that the profile forbids, with its rules. Absent ones have their default. */
export function fapi2Problems(settings: Settings): readonly Problem[] {
  const {
    authMethod = 'client_secret_basic',
    responseTypes = ['code'],
    grantTypes = [],
    accessTokenType,
  } = settings
  const { idTokenSigningAlg = 'RS256', accessTokenSigningAlg = 'RS256' } = settings
  const broken: readonly (readonly [keyof Settings, boolean, string])[] = [
    [
      'authMethod',
      !AUTH_METHODS.some((known) => known === authMethod),
      `${SECTION} 5.3.2.1: ${AUTH_METHODS.join(' or ')}`,
    ],
    ['responseTypes', responseTypes.some((type) => type !== 'code'), `${SECTION} 5.3.2.2: code alone`],
    [
      'grantTypes',
      grantTypes.includes(GRANT_TYPES.deviceCode),
      `${SECTION} 5.3.2.2 has no device authorization grant`,
    ],
    ['pkceOptional', settings.pkceOptional === true, `${SECTION} 5.3.2.2: PKCE is required`],
    ['devMode', settings.devMode === true, `${SECTION} 5.3.2.2: redirect URIs use https`],
    ['idTokenSigningAlg', idTokenSigningAlg === 'RS256', `${SECTION} 5.4.1: ES256 or EdDSA`],
    [
      'accessTokenSigningAlg',
      accessTokenType === 'jwt' && accessTokenSigningAlg === 'RS256',
      `${SECTION} 5.4.1: ES256 or EdDSA`,
    ],
  ]
  return broken.flatMap(([field, isBroken, rule]) =>
    isBroken ? [{ field, rule: `fapi2 needs another value; ${rule}` }] : [],
  )
}
