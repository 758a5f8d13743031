import { readFileSync } from 'node:fs'
import { HttpBrowser } from '@signet/testing/http-browser'
import { discover } from '@signet/testing/system/sign-in-journey'
import { startSystem } from '@signet/testing/system/start-system'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  None,
  randomPKCECodeVerifier,
} from 'openid-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'

// The bootstrap file of docs/install-on-kubernetes.md; deploy/test/chart-install-page.test.ts renders its values.

const PASSWORD = 'A-long-password-of-my-own-7'
const page = readFileSync(new URL('../../docs/install-on-kubernetes.md', import.meta.url), 'utf8')
const [, file = ''] = /`bootstrap\.yaml`:\n\n```yaml\n([\s\S]*?)^```$/m.exec(page) ?? []

let system: Awaited<ReturnType<typeof startSystem>>
beforeAll(async () => {
  const document = parse(file.replace(/\$\{OPERATOR_PASSWORD\}/, PASSWORD))
  system = await startSystem({ mode: 'in-process', document })
})
afterAll(() => system?.stop())

it('the operator of the page signs in to the command line and administers the instance', async () => {
  const config = await discover(system.issuer, 'signet-cli', None())
  const verifier = randomPKCECodeVerifier()
  const url = buildAuthorizationUrl(config, {
    redirect_uri: 'http://127.0.0.1:8000/callback',
    scope: 'openid urn:service:iam:org:project:id:signet:aud',
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const browser = new HttpBrowser(system.issuer)
  const credentials = { login_name: 'operator', password: PASSWORD }
  const asked = await browser.submit(await browser.open(url.href), credentials)
  const { headers } = await browser.submit(asked, { decision: 'allow' })
  const callback = new URL(headers.get('location') ?? '')
  const { access_token: token } = await authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: verifier,
  })
  const list = await fetch(`${system.issuer}/management/v1/organizations`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect([list.status, JSON.stringify(await list.json())]).toEqual([200, expect.stringContaining('"home"')])
})
