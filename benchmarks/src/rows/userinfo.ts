import { tokensOfPeer } from './peer-requests.ts'
import { plainRow } from './plain-row.ts'
import { getRequest } from './requests.ts'
import { sameBytes } from './right-answers.ts'
import { tokensOfSignIn } from './sign-in.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const userinfo = plainRow({
  name: 'userinfo',
  title: 'userinfo with an opaque token, always the same one',
  limit: 'answers the same bytes',
  work: 'answer',
  arrivalsPerSecond: 1_000,
  budgets: [],
  service: 'introspection',
  async signet(stage) {
    const { access_token } = await tokensOfSignIn(stage)
    return {
      request: getRequest(stage.signet.originOf('introspection'), '/oidc/v1/userinfo', bearer(access_token)),
      expect: sameBytes({ sub: 'alice', email: 'alice@acme.localhost' }),
    }
  },
  async peer(stage) {
    const [token = ''] = await tokensOfPeer(stage, 'access', 1)
    return {
      request: getRequest(stage.peer.origin, '/me', bearer(token)),
      expect: sameBytes({ email: 'alice@acme.localhost' }),
    }
  },
})
