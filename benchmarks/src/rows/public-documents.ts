import { plainRow } from './plain-row.ts'
import { getRequest } from './requests.ts'
import { sameBytes } from './right-answers.ts'

/** A public document of Signet and of the peer. */
function documentRow(name: string, title: string, path: string, peerPath: string) {
  return plainRow({
    name,
    title,
    limit: 'answers the same bytes',
    work: 'answer',
    budgets: [{ of: 'limit', atLeast: 0.8 }],
    service: 'keys',
    signet: async ({ signet }) => ({
      request: getRequest(signet.originOf('keys'), path),
      expect: sameBytes(),
    }),
    peer: async ({ peer }) => ({ request: getRequest(peer.origin, peerPath), expect: sameBytes() }),
  })
}

export const keySet = documentRow('key-set', 'key set', '/oauth/v2/keys', '/jwks')

export const discovery = documentRow(
  'discovery',
  'discovery document',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration',
)
