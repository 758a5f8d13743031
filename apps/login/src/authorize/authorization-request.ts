// OIDC Core sections 3.1.2.1 and 3.2.2.1; RFC 6749 section 4.1.1; RFC 7636 section 4.3.
import { parsePrompt } from '@signet/oauth-protocol/prompt-values'
import {
  readClaims,
  readCodeChallenge,
  readLoginHint,
  readMaxAge,
  readNonce,
  readResponseType,
  readScopes,
} from '../authorization/request-members.ts'
import {
  refuseLongValues,
  refuseRepeated,
  refuseRequestObjects,
  refuseTooManyBytes,
  refuseZeroCharacters,
} from '../authorization/request-rules.ts'
import { knownAcrs } from './claims-request.ts'
import type { Client } from './client.ts'
import type { RequestParameters } from './parameters.ts'

/** The second stage, read from top to bottom: the first rule that is broken is the one the client hears of. */
const RULES = [
  refuseRepeated,
  refuseZeroCharacters,
  refuseRequestObjects,
  refuseLongValues,
  refuseTooManyBytes,
]

const MEMBERS = {
  responseType: readResponseType,
  scopes: readScopes,
  codeChallenge: readCodeChallenge,
  nonce: readNonce,
  claims: readClaims,
  acrValues: (parameters) => knownAcrs((parameters.get('acr_values') ?? '').split(' ')),
  prompts: (parameters) => parsePrompt(parameters.get('prompt')),
  maxAgeSeconds: readMaxAge,
  idTokenHint: (parameters) => parameters.get('id_token_hint'),
  loginHint: readLoginHint,
  uiLocales: (parameters) => parameters.get('ui_locales'),
} satisfies Record<string, (parameters: RequestParameters, client: Client) => unknown>

/** A request that is right in itself; whether a session satisfies it is another question. */
export type AuthorizationRequest = { readonly [K in keyof typeof MEMBERS]: ReturnType<(typeof MEMBERS)[K]> }

/** Reads a request of a client whose redirect URI is proven. Throws OAuthError. */
export function readAuthorizationRequest(
  parameters: RequestParameters,
  client: Client,
): AuthorizationRequest {
  for (const rule of RULES) rule(parameters)
  const members = Object.entries(MEMBERS).map(([name, read]) => [name, read(parameters, client)])
  return Object.fromEntries(members)
}
