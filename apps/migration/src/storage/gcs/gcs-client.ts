import type { GuardedAgents } from '@signet/platform/outbound-http/guarded-agents'
import { JWT } from 'google-auth-library'
import type { GcsLocation } from '../object-location.ts'
import type { GcsEndpoints } from '../storage-options.ts'

const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write'
export const GOOGLE_API = 'https://storage.googleapis.com'
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'

interface GcsConnection {
  readonly agents: GuardedAgents
  readonly endpoints: GcsEndpoints | undefined
}

/**
 * Makes requests as a service account. `endpoints` replaces the addresses of Google: the options of the SDKs
 * for other servers leave out the credentials, our agents, or both.
 */
export function gcsClient(
  { clientEmail, privateKey }: GcsLocation['serviceAccount'],
  { agents, endpoints }: GcsConnection,
): JWT {
  const client = new JWT({
    email: clientEmail,
    key: privateKey.reveal(),
    scopes: [SCOPE],
    transporterOptions: {
      agent: (url) => (url.protocol === 'http:' ? agents.http : agents.https),
      // A redirect could lead anywhere. 308 means "go on" in uploads and has to come through.
      redirect: 'manual',
    },
  })
  if (endpoints !== undefined) {
    const { apiUrl, tokenUrl } = endpoints
    client.transporter.interceptors.request.add({
      resolved: async (request) => {
        if (request.url.href === GOOGLE_TOKEN_URL) request.url = new URL(tokenUrl)
        else if (request.url.origin === GOOGLE_API) {
          request.url = new URL(request.url.pathname + request.url.search, apiUrl)
        }
        return request
      },
    })
  }
  return client
}
