import { InvalidRequestError } from './errors.ts'

// OAuth 2.0 Multiple Response Type Encoding Practices section 2.1; OAuth 2.0 Form Post Response Mode section 2.

export const RESPONSE_MODES = ['query', 'fragment', 'form_post'] as const

export type ResponseMode = (typeof RESPONSE_MODES)[number]

/**
 * The mode of an authorization response. A mode that is unknown is ignored, and so is `query` for anything but a
 * code: tokens in a query string end up in server logs.
 */
export function responseModeFor(responseType: ResponseType, requested: string | undefined): ResponseMode {
  const standard = responseType === 'code' ? 'query' : 'fragment'
  if (requested === 'query' && responseType !== 'code') return standard
  return RESPONSE_MODES.find((mode) => mode === requested) ?? standard
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
/** A password and a second factor. */
export const ACR_MFA = 'urn:service:acr:mfa'

export const ACR_VALUES = [ACR_PASSWORD, ACR_MFA] as const

// OIDC Core section 3.1.2.1 (`ui_locales`), OIDC Discovery section 3 (`ui_locales_supported`).

/** The languages that pages are written in (BCP 47). */
export const UI_LOCALES = ['en', 'de', 'fr', 'ar', 'ja'] as const

export type UiLocale = (typeof UI_LOCALES)[number]

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur'])

/** The value of the attribute `dir` for a language of `UI_LOCALES`. */
export function textDirection(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr'
}
