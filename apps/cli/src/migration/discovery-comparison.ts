/** A discovery document (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2). */
export type DiscoveryDocument = Readonly<Record<string, unknown>>

/** A provider: its discovery document, and its key set if that was read (RFC 7517). */
export interface Provider {
  readonly document: DiscoveryDocument
  readonly keys?: readonly Readonly<Record<string, unknown>>[] | undefined
}

export interface Difference {
  /** A member of the document, or `keys`. */
  readonly item: string
  readonly status: 'same' | 'only old' | 'only new' | 'different'
  readonly old: string
  readonly new: string
  /** Empty when there is nothing to do. */
  readonly advice: string
}

/** A member, and the advice for clients if only the old provider has the member or one of its values. */
interface Rule {
  readonly member: string
  readonly lost: string
  /** The values of a list that is left out. */
  readonly defaults?: readonly string[]
}

const CALLS = 'clients that call it have no replacement: find them in the log of the old provider'
const AUTH = 'clients that use it: choose another method in their settings, and register it'
const ALGORITHM = 'clients that demand it: set another algorithm'

const ENDPOINTS: readonly Rule[] = [
  ['authorization_endpoint', 'no client can sign in'],
  ['token_endpoint', 'no client gets tokens'],
  ['userinfo_endpoint', CALLS],
  ['jwks_uri', 'resource servers cannot verify JWTs'],
  ['introspection_endpoint', CALLS],
  ['revocation_endpoint', CALLS],
  ['end_session_endpoint', 'applications that send people there to sign out end their own session only'],
  ['check_session_iframe', 'applications that watch the session in a frame: use Back-Channel Logout instead'],
  ['registration_endpoint', 'clients that register themselves: register them by the management API'],
  ['device_authorization_endpoint', 'devices without a browser cannot sign in'],
  ['pushed_authorization_request_endpoint', 'clients that push requests: let them send the parameters'],
  ['backchannel_authentication_endpoint', CALLS],
].map(([member = '', lost = '']) => ({ member, lost }))

/** The defaults are those of RFC 8414 section 2 and Discovery 1.0 section 3. */
const LISTS: readonly Rule[] = [
  {
    member: 'response_types_supported',
    lost: 'clients that request it: move them to code with PKCE',
  },
  {
    member: 'response_modes_supported',
    lost: 'clients that request it: leave response_mode out, or choose another',
    defaults: ['query', 'fragment'],
  },
  {
    member: 'grant_types_supported',
    lost: 'clients with this grant type: move them to another before the cut-over',
    defaults: ['authorization_code', 'implicit'],
  },
  {
    member: 'scopes_supported',
    lost: 'clients that request it: an unknown scope is ignored, and its claims are missing',
  },
  {
    member: 'claims_supported',
    lost: 'applications that read it: find it elsewhere, such as in metadata of the user',
  },
  {
    member: 'subject_types_supported',
    lost: 'sub changes for clients with this type: let them migrate their accounts',
  },
  {
    member: 'token_endpoint_auth_methods_supported',
    lost: AUTH,
    defaults: ['client_secret_basic'],
  },
  { member: 'token_endpoint_auth_signing_alg_values_supported', lost: ALGORITHM },
  {
    member: 'introspection_endpoint_auth_methods_supported',
    lost: AUTH,
  },
  { member: 'revocation_endpoint_auth_methods_supported', lost: AUTH, defaults: ['client_secret_basic'] },
  { member: 'id_token_signing_alg_values_supported', lost: ALGORITHM },
  {
    member: 'id_token_encryption_alg_values_supported',
    lost: 'clients that decrypt ID tokens: they come unencrypted',
  },
  { member: 'userinfo_signing_alg_values_supported', lost: 'clients that expect a JWT: userinfo is JSON' },
  {
    member: 'request_object_signing_alg_values_supported',
    lost: 'clients that sign requests: let them send the parameters',
  },
  { member: 'code_challenge_methods_supported', lost: 'clients that use it: use S256' },
  { member: 'acr_values_supported', lost: 'clients that request it: request another acr, or none' },
  {
    member: 'prompt_values_supported',
    lost: 'clients that send it: the request is refused or the value ignored',
  },
  { member: 'dpop_signing_alg_values_supported', lost: 'clients with DPoP: their tokens are bearer tokens' },
]

const FLAGS: readonly (Rule & { readonly missing: boolean })[] = [
  ['claims_parameter_supported', 'clients that send claims: request scopes instead', false],
  ['request_parameter_supported', 'clients that send request objects: let them send the parameters', false],
  ['request_uri_parameter_supported', 'clients that send request_uri: let them send the parameters', true],
  ['backchannel_logout_supported', 'applications stay signed in after a logout elsewhere', false],
  [
    'backchannel_logout_session_supported',
    'logout tokens name no sid: applications end all sessions of the user',
    false,
  ],
  [
    'frontchannel_logout_supported',
    'applications with a front-channel logout URI: register a back-channel one',
    false,
  ],
  [
    'authorization_response_iss_parameter_supported',
    'clients that demand iss in the response (RFC 9207): relax them',
    false,
  ],
  ['tls_client_certificate_bound_access_tokens', 'tokens are not bound to certificates', false],
].map(([member, lost, missing]) => ({ member: `${member}`, lost: `${lost}`, missing: missing === true }))

/** The differences that clients notice when they move from one provider to another, item by item. */
export function compareProviders(old: Provider, next: Provider): readonly Difference[] {
  const [before, after] = [old.document, next.document]
  return [
    compareIssuer(before, after),
    ...ENDPOINTS.flatMap((rule) => compareEndpoint(rule, before[rule.member], after[rule.member])),
    ...LISTS.flatMap((rule) => compareList(rule, before[rule.member], after[rule.member])),
    ...FLAGS.flatMap((rule) => compareFlag(rule, before[rule.member], after[rule.member])),
    ...(old.keys === undefined || next.keys === undefined ? [] : compareKeys(old.keys, next.keys)),
  ]
}

function compareIssuer(
  { issuer: before }: DiscoveryDocument,
  { issuer: after }: DiscoveryDocument,
): Difference {
  const isSame = before === after
  return {
    item: 'issuer',
    status: isSame ? 'same' : 'different',
    old: shown(before),
    new: shown(after),
    advice: isSame
      ? 'move the name in DNS: clients keep their configuration, and fetch the keys again'
      : 'configure each client and resource server with the new issuer',
  }
}

function compareEndpoint({ member, lost }: Rule, before: unknown, after: unknown): readonly Difference[] {
  if (before === undefined && after === undefined) return []
  const values = { item: member, old: shown(before), new: shown(after) }
  if (after === undefined) return [{ ...values, status: 'only old', advice: lost }]
  if (before === undefined) return [{ ...values, status: 'only new', advice: '' }]
  if (before === after) return [{ ...values, status: 'same', advice: '' }]
  const advice = 'clients that read discovery need no change; set it where it is configured by hand'
  return [{ ...values, status: 'different', advice }]
}

function compareList(
  { member, lost, defaults = [] }: Rule,
  before: unknown,
  after: unknown,
): readonly Difference[] {
  const [old, next] = [valuesOf(before, defaults), valuesOf(after, defaults)]
  const both = old.filter((value) => next.includes(value))
  const onlyOld = old.filter((value) => !next.includes(value))
  const onlyNew = next.filter((value) => !old.includes(value))
  const line = (
    status: Difference['status'],
    values: readonly string[],
    advice: string,
  ): readonly Difference[] => {
    const text = values.join(', ')
    const [inOld, inNew] = [status === 'only new' ? '' : text, status === 'only old' ? '' : text]
    return values.length === 0 ? [] : [{ item: member, status, old: inOld, new: inNew, advice }]
  }
  return [...line('same', both, ''), ...line('only old', onlyOld, lost), ...line('only new', onlyNew, '')]
}

/** Sorts the words of each value, since a response type may have its values in any order (OAuth 2.0 Multiple Response Types). */
function valuesOf(value: unknown, defaults: readonly string[]): readonly string[] {
  const list = Array.isArray(value) ? value : defaults
  return [...new Set(list.map((entry) => shown(entry).split(' ').sort().join(' ')))].sort()
}

function compareFlag(
  { member, lost, missing }: (typeof FLAGS)[number],
  before: unknown,
  after: unknown,
): readonly Difference[] {
  if (before === undefined && after === undefined) return []
  const [old, next] = [before ?? missing, after ?? missing]
  const values = { item: member, old: shown(old), new: shown(next) }
  if (old === next) return [{ ...values, status: 'same', advice: '' }]
  return [
    old === true
      ? { ...values, status: 'only old', advice: lost }
      : { ...values, status: 'only new', advice: '' },
  ]
}

function compareKeys(
  before: NonNullable<Provider['keys']>,
  after: NonNullable<Provider['keys']>,
): readonly Difference[] {
  const named = (keys: typeof before) =>
    keys.map(({ kid, alg, kty }) => `${shown(kid)} (${shown(alg ?? kty)})`).sort()
  const [old, next] = [named(before), named(after)]
  const isSame = old.join() === next.join()
  return [
    {
      item: 'keys',
      status: isSame ? 'same' : 'different',
      old: old.join(', '),
      new: next.join(', '),
      advice: isSame
        ? ''
        : 'tokens of the old provider do not verify: let people sign in again; replace pinned keys',
    },
  ]
}

/** The text of a value without control characters, so that a document cannot control the terminal. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replace(/\p{Cc}/gu, '?').slice(0, 500)
}
