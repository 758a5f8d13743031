import type { Client } from '@signet/directory-reader/views'
import { fapi2Methods } from '@signet/protocol/fapi2'
import type { ClientAuthMethod } from '@signet/protocol/grant-types'

/**
 * The methods of a client at the token endpoint, and at each other endpoint where it authenticates likewise. Service users are
 * registered with a secret and not with a way to send it.
 */
export function registeredMethods(client: Client): readonly ClientAuthMethod[] {
  if (client.kind === 'service_user') return ['client_secret_basic', 'client_secret_post']
  return fapi2Methods(client, [client.authMethod])
}
