import type { Client } from '@signet/directory-reader/views'
import type { ClientAuthMethod } from '@signet/protocol/client-auth-methods'

/** A client that has proven who it is, and how. */
export interface AuthenticatedClient {
  readonly client: Client
  readonly method: ClientAuthMethod
}

/** The parts of a request that can carry client credentials. */
export interface CredentialCarrier {
  /** The Authorization header as it came. */
  readonly authorization?: string | undefined
  readonly body: Readonly<Record<string, string>>
}

/** A request that a client has to prove itself for. */
export interface ClientRequest extends CredentialCarrier {
  readonly clientAddress: string
}
