import type { Client } from '@signet/directory-reader/views'
import type { ClientAuthMethod } from '@signet/protocol/grant-types'

/**
 * The methods of a client at the token endpoint, and at each other endpoint where it authenticates likewise. Service users are
 * registered with a secret and not with a way to send it.
 */
export function registeredMethods({ kind, authMethod }: Client): readonly ClientAuthMethod[] {
  return kind === 'service_user' ? ['client_secret_basic', 'client_secret_post'] : [authMethod]
}
