import type { IncomingMessage } from 'node:http'

// RFC 6749 section 3.1: parameters of an authorization or end-session request.

/** Request parameters as they came. A parameter without a value counts as not sent. */
export interface RequestParameters {
  get(name: string): string | undefined
  has(name: string): boolean
  /** Names that were sent more than once; such a parameter has no value. */
  readonly repeated: ReadonlySet<string>
  /** Names that hold U+0000, in themselves or in their value; such a parameter has no value. */
  readonly withZeroCharacter: ReadonlySet<string>
  /** The listed ones that were sent. */
  pick(names: readonly string[]): Readonly<Record<string, string>>
}

export function requestParameters(pairs: Iterable<readonly [string, string]>): RequestParameters {
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const withZeroCharacter = new Set<string>()
  for (const [name, value] of pairs) {
    if (values.has(name)) repeated.add(name)
    if (name.includes('\0') || value.includes('\0')) withZeroCharacter.add(name)
    values.set(name, value)
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

// Characters. Longer values do not fit the header and the sealed code that carry them.
export const STATE_LIMIT = 2_000
export const NONCE_LIMIT = 512
/** What the directory stores of a consent. */
export const SCOPES_LIMIT = 100
export const SCOPE_LIMIT = 1_000
/** Bytes of JSON of the known parameters together, as they are stored while a request waits. */
export const REQUEST_BYTES_LIMIT = 8_192
/** Characters of a query, encoded. Proxies take a request line of 8 KiB. */
export const END_SESSION_QUERY_LIMIT = 8_000
/** Longer than any login name; what is above it is not a hint. */
export const LOGIN_HINT_LIMIT = 300
/** Longer than any list of languages that a person reads. */
export const UI_LOCALES_LIMIT = 200

/** The parameters that any step reads, and those of the redirect; others are ignored (RFC 6749 section 3.1). */
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
  'prompt',
  'max_age',
  'id_token_hint',
  'login_hint',
  'claims',
  'acr_values',
  'ui_locales',
] as const

/** What is stored of a request that has to wait. */
export function knownParameters(parameters: RequestParameters): Readonly<Record<string, string>> {
  return parameters.pick(KNOWN_PARAMETERS)
}

/**
 * The query of a request that may have to be answered by a redirect: repeated parameters and U+0000 are noted instead
 * of refused at once, because the error goes to the client.
 */
export function requestQuery(req: IncomingMessage): RequestParameters {
  const url = req.url ?? ''
  const question = url.indexOf('?')
  return requestParameters(new URLSearchParams(question === -1 ? '' : url.slice(question + 1)))
}

/** The languages that a request wishes its pages in. Never an error: the page may be about one. */
export function wishedLocales(req: IncomingMessage): string | undefined {
  const url = req.url ?? ''
  const question = url.indexOf('?')
  return question === -1
    ? undefined
    : (new URLSearchParams(url.slice(question + 1)).get('ui_locales') ?? undefined)
}

/** The value of a parameter of our own, when it is the only one: clients may send any other name themselves. */
export function onlyParameter(req: IncomingMessage, name: string): string | undefined {
  const match = new RegExp(`\\?${name}=([A-Za-z0-9_-]+)$`).exec(req.url ?? '')
  return match?.[1]
}
