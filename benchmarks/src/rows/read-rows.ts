// Rows of requests that only read: introspection, the key set, discovery.

import type { HttpRequest } from '../load/http-exchange.ts'
import type { Stage } from '../stage/stage.ts'
import { plainRow } from './plain-row.ts'
import { formRequest, getRequest } from './requests.ts'
import { sameBytes } from './right-answers.ts'
import { tokensOfPeer, tokensOfSignIn } from './sign-in.ts'

export const LIMIT = 'reads the form, answers the same bytes'
export const BUDGETS = [
  { of: 'limit', atLeast: 0.5 },
  { of: 'peer', atLeast: 2.5 },
] as const

export const introspection = ({ signet }: Stage, token: string): HttpRequest =>
  formRequest(signet.originOf('introspection'), '/oauth/v2/introspect', { clientId: 'api', form: { token } })

async function introspectionAtPeer(stage: Stage) {
  const [token = ''] = await tokensOfPeer(stage, 'access', 1)
  return {
    request: formRequest(stage.peer.origin, '/token/introspection', { clientId: 'web', form: { token } }),
    expect: sameBytes({ active: true, token_type: 'Bearer' }),
  }
}

export const introspect = plainRow({
  name: 'introspect',
  title: 'introspect an opaque token, always the same one',
  limit: LIMIT,
  work: 'answer',
  budgets: BUDGETS,
  service: 'introspection',
  peer: introspectionAtPeer,
  async signet(stage) {
    const { access_token } = await tokensOfSignIn(stage)
    return { request: introspection(stage, access_token), expect: sameBytes({ active: true, sub: 'alice' }) }
  },
})

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
