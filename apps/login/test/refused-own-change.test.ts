import { RpcError } from '@signet/grpc/error'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownAccountsWith } from './fake-own-account.ts'
import { startTestEnvironment, type TestEnvironment } from './setup.ts'

let env: TestEnvironment
/** The changes that the directory got, with the epochs of their sessions. */
const changes: unknown[] = []

beforeAll(async () => {
  env = await startTestEnvironment({
    directoryServices: [
      ownAccountsWith({
        async withdrawOwnConsent({ change, clientId }) {
          const { userId, userEpoch, organizationEpoch } = change ?? {}
          changes.push({ userId, userEpoch, organizationEpoch, clientId })
          throw new RpcError('FAILED_PRECONDITION', 'the session has ended')
        },
      }),
    ],
  })
})
afterAll(() => env?.stop())

it('says that the page has expired when the directory refuses a change because the session has ended', async () => {
  env.fakes.consents.set('user1 web', new Set(['openid']))
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser))
  const page = await browser.get('/ui/applications')
  const answer = await browser.submit(page, { client_id: 'web' })
  expect(answer.status).toBe(400)
  expect(changes).toEqual([{ userId: 'user1', userEpoch: 0n, organizationEpoch: 0n, clientId: 'web' }])
  expect(env.fakes.endedAccess).toEqual([])
  expect(env.fakes.consents.has('user1 web')).toBe(true)
})
