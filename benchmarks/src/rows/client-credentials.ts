import { plainRow } from './plain-row.ts'
import { formRequest, getRequest } from './requests.ts'
import { freshToken, isAnyToken, isSealed, isSignedWith, sameToken } from './right-answers.ts'

const FORM = { grant_type: 'client_credentials' }
const PATH = '/oauth/v2/token'

export const clientCredentials = plainRow({
  name: 'client-credentials',
  title: 'client_credentials, opaque',
  limit: 'reads the form, answers the same bytes',
  work: 'answer',
  budgets: [{ of: 'peer', atLeast: 1.5 }],
  service: 'token',
  signet: async ({ signet }) => ({
    request: formRequest(signet.originOf('token'), PATH, { clientId: 'backend', form: FORM }),
    expect: freshToken(isSealed),
    expectOfLimit: sameToken(isSealed),
  }),
  peer: async ({ peer }) => ({
    request: formRequest(peer.origin, '/token', { clientId: 'web', form: FORM }),
    expect: freshToken(isAnyToken),
  }),
})

/** With a JWT under this algorithm, against one raw signature of the same size off the event loop. */
function signedClientCredentials(alg: 'RS256' | 'ES256', atLeast: number) {
  return plainRow({
    name: `client-credentials-${alg.toLowerCase()}`,
    title: `client_credentials, JWT (${alg})`,
    limit: `reads the form, makes one ${alg} signature in the thread pool`,
    work: alg,
    budgets: [{ of: 'limit', atLeast }],
    service: 'token',
    async signet({ signet, connections }) {
      const keySet = await connections.send(getRequest(signet.originOf('keys'), '/oauth/v2/keys'))
      return {
        request: formRequest(signet.originOf('token'), PATH, {
          clientId: `backend-${alg.toLowerCase()}`,
          form: FORM,
        }),
        expect: freshToken(isSignedWith(alg, keySet.body)),
        expectOfLimit: sameToken(isSignedWith(alg, keySet.body)),
      }
    },
  })
}

export const clientCredentialsRs256 = signedClientCredentials('RS256', 0.85)
export const clientCredentialsEs256 = signedClientCredentials('ES256', 0.6)
