import type { AuthenticatedClient } from '@signet/client-authentication/authenticated-client'
import type { z } from 'zod'
import type { TokenResponse } from '../issuance/token-response.ts'

export interface GrantCall<P> extends AuthenticatedClient {
  readonly params: P
  readonly now: Date
}

/** One grant type of the token endpoint, with the type of its parameters hidden. */
export type Grant = (
  body: Readonly<Record<string, string>>,
  caller: AuthenticatedClient,
  now: Date,
) => Promise<TokenResponse>

/** Ties a parameter schema to its handler. A missing or malformed parameter becomes `invalid_request` naming it. */
export function grant<S extends z.ZodType>({
  params,
  handle,
}: {
  readonly params: S
  readonly handle: (call: GrantCall<z.output<S>>) => Promise<TokenResponse>
}): Grant {
  return async (body, caller, now) => handle({ ...caller, params: params.parse(body), now })
}
