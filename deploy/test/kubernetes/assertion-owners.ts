import type { TestSystem } from '@signet/testing/system/test-system'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const CLIENT_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Requests of a token with the assertion of a workload, by the kind of the record that trusts its issuer (RFC 7523). */
export const OWNERS = {
  'a service user': (signet: TestSystem, owner: string, assertion: string) =>
    requestToken(signet, { grant_type: JWT_BEARER, client_id: owner, assertion, scope: 'openid' }),
  'an application': (signet: TestSystem, owner: string, assertion: string) =>
    requestToken(signet, {
      ...{ grant_type: 'client_credentials', client_id: `${owner}-application` },
      ...{ client_assertion_type: CLIENT_ASSERTION, client_assertion: assertion },
    }),
}

async function requestToken(signet: TestSystem, form: Readonly<Record<string, string>>) {
  const { status, json } = await signet.post('/oauth/v2/token', form, { form: {}, headers: {} })
  return { status, type: json.token_type, error: json.error, rule: json.error_description }
}
