import type { RequestParameters } from '../authorize/parameters.ts'

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
