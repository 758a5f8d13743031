import type { IncomingMessage } from 'node:http'

// RFC 6749 section 3.1: parameters of an authorization or end-session request.

/** The parameters of a request. A parameter without a value counts as absent; several of `resource` are joined by spaces. */
export interface RequestParameters {
  get(name: string): string | undefined
  has(name: string): boolean
  /** Names of parameters of Signet that occur more than once. Such a parameter has no value. */
  readonly repeated: ReadonlySet<string>
  /** Parameters with U+0000 in name or value. Such a parameter has no value. */
  readonly withZeroCharacter: ReadonlySet<string>
  /** The named parameters that are present. */
  pick(names: readonly string[]): Readonly<Record<string, string>>
}

export function requestParameters(pairs: Iterable<readonly [string, string]>): RequestParameters {
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const withZeroCharacter = new Set<string>()
  for (const [name, value] of pairs) {
    const earlier = values.get(name)
    if (earlier !== undefined && OWN_PARAMETERS.has(name)) repeated.add(name)
    if (name.includes('\0') || value.includes('\0')) withZeroCharacter.add(name)
    values.set(name, earlier !== undefined && name === 'resource' ? `${earlier} ${value}` : value)
  }
  const get = (name: string) =>
    repeated.has(name) || withZeroCharacter.has(name) ? undefined : values.get(name) || undefined
  return {
    get,
    has: (name) => get(name) !== undefined,
    repeated,
    withZeroCharacter,
    pick: (names) =>
      Object.fromEntries(
        names.flatMap((name) => {
          const value = get(name)
          return value === undefined ? [] : [[name, value]]
        }),
      ),
  }
}

// Characters. Longer values do not fit into the response header and the sealed code.
export const STATE_LIMIT = 2_000
export const NONCE_LIMIT = 512
/** Limits of a consent in the directory. */
export const SCOPES_LIMIT = 100
export const SCOPE_LIMIT = 1_000
/** Bytes of the known parameters as JSON in Redis. */
export const REQUEST_BYTES_LIMIT = 8_192
/** Characters of an encoded query, of an ID token what was read from it. Proxies accept a request line of 8 KiB. */
export const END_SESSION_QUERY_LIMIT = 8_000
/** Bytes of a request by POST: an ID token of a user with thousands of roles fits. */
export const POST_BYTES_LIMIT = 1_048_576
/** Longer than any login name. A longer hint is ignored. */
export const LOGIN_HINT_LIMIT = 300
/** Longer than any list of languages of a user. */
export const UI_LOCALES_LIMIT = 200

/** The same parameters with another value of one that is present. */
export function replaceParameter(
  parameters: RequestParameters,
  name: string,
  value: string,
): RequestParameters {
  const get = (other: string) => (other === name ? value : parameters.get(other))
  return {
    ...parameters,
    get,
    pick: (names) => {
      const picked = parameters.pick(names)
      return picked[name] === undefined ? picked : { ...picked, [name]: value }
    },
  }
}

/** The same parameters and one more, which replaces one of its name. */
export function addParameter(parameters: RequestParameters, name: string, value: string): RequestParameters {
  return {
    ...parameters,
    get: (other) => (other === name ? value : parameters.get(other)),
    has: (other) => other === name || parameters.has(other),
    pick: (names) => ({ ...parameters.pick(names), ...(names.includes(name) && { [name]: value }) }),
  }
}

/** The parameters that the service reads; others are ignored (RFC 6749 section 3.1). */
const KNOWN_PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'dpop_jkt',
  'prompt',
  'max_age',
  'id_token_hint',
  'login_hint',
  'claims',
  'acr_values',
  'resource',
  'authorization_details',
  'ui_locales',
] as const

/** The parameters of an authorization request that mean something here. */
export const AUTHORIZATION_PARAMETERS: readonly string[] = [...KNOWN_PARAMETERS, 'request', 'request_uri']

/**
 * The parameters whose repetition is an error (RFC 6749 section 3.1), those of a sign-out included. Others may occur more
 * than once: `resource` (RFC 8707 section 2), or one that is for other software.
 */
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  ...AUTHORIZATION_PARAMETERS.filter((name) => name !== 'resource'),
  'post_logout_redirect_uri',
])

/** The parameters that a pending request stores. */
export function knownParameters(parameters: RequestParameters): Readonly<Record<string, string>> {
  return parameters.pick(KNOWN_PARAMETERS)
}

/**
 * The query of a request whose errors may have to be sent by a redirect. Repeated parameters and U+0000 are therefore
 * recorded and not refused here.
 */
export function requestQuery(req: IncomingMessage): RequestParameters {
  const url = req.url ?? ''
  const question = url.indexOf('?')
  return requestParameters(new URLSearchParams(question === -1 ? '' : url.slice(question + 1)))
}

/** The `ui_locales` of a request. Never throws, because an error page uses it. */
export function requestedLocales(req: IncomingMessage): string | undefined {
  const url = req.url ?? ''
  const question = url.indexOf('?')
  return question === -1
    ? undefined
    : (new URLSearchParams(url.slice(question + 1)).get('ui_locales') ?? undefined)
}

/** The value of an own parameter if it is the only parameter: clients may use the same name for theirs. */
export function onlyParameter(req: IncomingMessage, name: string): string | undefined {
  const match = new RegExp(`\\?${name}=([A-Za-z0-9_-]+)$`).exec(req.url ?? '')
  return match?.[1]
}
