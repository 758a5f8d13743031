import type { AuthenticatedClient } from '@signet/client-auth/authenticate-client'
import { CLIENT_AUTH_METHODS, type ClientAuthMethod } from '@signet/protocol/grant-types'
import type { Confirmation } from '@signet/tokens/access-token'
import type { z } from 'zod'
import type { TokenResponse } from '../issuance/issue-tokens.ts'

type Body = Readonly<Record<string, string>>

/** A request of the token endpoint. */
interface GrantRequest {
  readonly body: Body
  readonly now: Date
  /** Network address for the audit log. */
  readonly clientAddress: string
  /** The key that the caller has proven, to which the access token is bound. */
  readonly cnf: Confirmation | undefined
  /** Thumbprint of the certificate of the connection. */
  readonly certificate: string | undefined
}

export interface GrantCall<P> extends AuthenticatedClient, Omit<GrantRequest, 'body'> {
  readonly params: P
}

/** Grant type of the token endpoint that a client asks for, with the type of its parameters hidden. */
export interface ClientGrant {
  /** How a client may authenticate for it. */
  readonly methods: readonly ClientAuthMethod[]
  handle(request: GrantRequest, caller: AuthenticatedClient): Promise<TokenResponse>
}

/** Grant type whose parameters authenticate the caller (RFC 7521 section 4.1). */
export interface AssertionGrant {
  /** The assertion authenticates; there is no client. */
  readonly methods: 'assertion'
  /** The grant of a client, for a request whose assertion a client has to present. */
  readonly ofClient: (body: Body) => ClientGrant | undefined
  handle(request: AssertionRequest): Promise<TokenResponse>
}

/** `confirm` uses up the proof of the caller, so it is called once the assertion has proven who that is. */
interface AssertionRequest extends Pick<GrantRequest, 'body' | 'now'> {
  readonly confirm: () => Promise<Confirmation | undefined>
}

export type Grant = ClientGrant | AssertionGrant

/** Ties a parameter schema to its handler. A missing or malformed parameter becomes `invalid_request` naming it. */
export function grant<S extends z.ZodType>({
  params,
  methods = CLIENT_AUTH_METHODS,
  handle,
}: {
  readonly params: S
  readonly methods?: readonly ClientAuthMethod[]
  readonly handle: (call: GrantCall<z.output<S>>) => Promise<TokenResponse>
}): ClientGrant {
  return {
    methods,
    handle: async ({ body, ...request }, caller) =>
      handle({ ...caller, ...request, params: params.parse(body) }),
  }
}

/** Declares a grant type that needs no client. */
export function assertionGrant<S extends z.ZodType>({
  params,
  handle,
  ofClient,
}: {
  readonly params: S
  readonly ofClient: AssertionGrant['ofClient']
  readonly handle: (
    call: { readonly params: z.output<S> } & Pick<AssertionRequest, 'now' | 'confirm'>,
  ) => Promise<TokenResponse>
}): AssertionGrant {
  return {
    methods: 'assertion',
    ofClient,
    handle: async ({ body, now, confirm }) => handle({ params: params.parse(body), now, confirm }),
  }
}
