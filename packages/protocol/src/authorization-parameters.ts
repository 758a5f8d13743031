import { InvalidRequestError } from './errors.ts'

// OAuth 2.0 Multiple Response Type Encoding Practices section 2.1; OAuth 2.0 Form Post Response Mode section 2.

const PLAIN_MODES = ['query', 'fragment', 'form_post'] as const

export type ResponseMode = (typeof PLAIN_MODES)[number]

/** The values of `response_mode`: each plain one, and the same with one signed parameter (JARM section 2.3). */
export const RESPONSE_MODES: readonly string[] = [
  ...PLAIN_MODES,
  'jwt',
  ...PLAIN_MODES.map((mode) => `${mode}.jwt`),
]

/** How an authorization response is sent, and whether its parameters are inside one JWT (JARM section 2.3). */
export interface ResponseForm {
  readonly responseMode: ResponseMode
  readonly isSigned: boolean
}

/**
 * The form of an authorization response. A mode that is unknown is ignored, and so is `query` for anything but a
 * code: tokens in a query string end up in server logs.
 */
export function responseFormFor(responseType: ResponseType, requested = ''): ResponseForm {
  const standard = responseType === 'code' ? 'query' : 'fragment'
  const isSigned = requested === 'jwt' || requested.endsWith('.jwt')
  const plain = isSigned ? requested.slice(0, -'.jwt'.length) : requested
  const known = RESPONSE_MODES.includes(requested)
  const mode = PLAIN_MODES.find((one) => known && one === plain) ?? standard
  return { responseMode: mode === 'query' ? standard : mode, isSigned: known && isSigned }
}

// OAuth 2.0 Multiple Response Type Encoding Practices section 3; OIDC Core sections 3.1.2.1 and 3.2.2.1.

export const RESPONSE_TYPES = ['code', 'id_token', 'id_token token'] as const

export type ResponseType = (typeof RESPONSE_TYPES)[number]

/**
 * The supported response type that `value` names, or undefined. The order of its words does not matter
 * (RFC 6749 section 3.1.1), so `token id_token` is `id_token token`.
 */
export function parseResponseType(value: string): ResponseType | undefined {
  const words = value.split(' ').sort().join(' ')
  return RESPONSE_TYPES.find((type) => type === words)
}

// OIDC Core section 3.1.2.1; `create` from Initiating User Registration via OpenID Connect section 4.1.

export const PROMPT_VALUES = ['none', 'login', 'consent', 'select_account', 'create'] as const

export type PromptValue = (typeof PROMPT_VALUES)[number]

/** The values of a `prompt` parameter; `InvalidRequestError` for an unknown one and for `none` beside another. */
export function parsePrompt(value: string | undefined): ReadonlySet<PromptValue> {
  const prompts = new Set<PromptValue>()
  for (const word of (value ?? '').split(' ')) {
    if (word === '') continue
    const prompt = PROMPT_VALUES.find((known) => known === word)
    if (prompt === undefined) {
      throw new InvalidRequestError(`prompt takes ${PROMPT_VALUES.join(', ')}`, { reason: 'prompt_unknown' })
    }
    prompts.add(prompt)
  }
  if (prompts.has('none') && prompts.size > 1) {
    throw new InvalidRequestError('prompt none cannot be combined with other values', {
      reason: 'prompt_none_combined',
    })
  }
  return prompts
}

// OIDC Core section 2 (`acr`): how sure the service is of whom it authenticated.

/** A password alone. */
export const ACR_PASSWORD = 'urn:service:acr:pwd'
/** A password and a second factor, or a passkey that counts as two factors. */
export const ACR_MFA = 'urn:service:acr:mfa'
/** Two factors, and a passkey among them: nothing that a page of another site can ask for. */
export const ACR_PASSKEY = 'urn:service:acr:passkey'

/** From the weakest to the strongest; each one meets those before it. */
export const ACR_VALUES = [ACR_PASSWORD, ACR_MFA, ACR_PASSKEY] as const

type Acr = (typeof ACR_VALUES)[number]

/** The strongest value that the methods of a sign-in (`amr`, RFC 8176) reach. */
export function acrOf(amr: readonly string[]): Acr {
  if (!amr.includes('mfa')) return ACR_PASSWORD
  return amr.includes('pop') ? ACR_PASSKEY : ACR_MFA
}

/** Whether a sign-in that reached one value is as strong as another. An unknown value reaches nothing. */
export function reachesAcr(reached: string | undefined, needed: Acr): boolean {
  const levels: readonly unknown[] = ACR_VALUES
  return levels.indexOf(reached) >= levels.indexOf(needed)
}

// OIDC Core section 3.1.2.1 (`ui_locales`), OIDC Discovery section 3 (`ui_locales_supported`).

/** The languages that pages are written in (BCP 47). */
export const UI_LOCALES = ['en', 'de', 'fr', 'ar', 'ja'] as const

export type UiLocale = (typeof UI_LOCALES)[number]

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur'])

/** The value of the attribute `dir` for a language of `UI_LOCALES`. */
export function textDirection(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr'
}
