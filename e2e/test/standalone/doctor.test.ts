import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
}, 60_000)
afterAll(() => oauth?.stop())

const checks = async () => {
  const { json } = await oauth.manage('GET', '/management/v1/doctor')
  return (json as unknown as { readonly checks: readonly { readonly id: string }[] }).checks.map(
    ({ id }) => id,
  )
}

it.each([['urn:service:iam:org:project:id:signet:aud'], ['urn:zitadel:iam:org:project:id:zitadel:aud']])(
  'the doctor names an unmarked application whose live grant has the scope %s',
  async (scope) => {
    const code = await oauth.code({ sid: `sid ${scope}`, scope: 'openid offline_access' })
    expect((await oauth.redeem(code)).status).toBe(200)
    expect(await checks()).not.toContain('api_audience')
    const grants = (text: string, values: readonly string[]) =>
      oauth.database.query({ name: '', text: `UPDATE grants.authorization_grant SET ${text}`, values })
    await grants('scopes = array_append(scopes, $1)', [scope])
    expect(await checks()).toContain('api_audience')
    await grants('ended_at = now()', [])
    expect(await checks()).not.toContain('api_audience')
  },
)
