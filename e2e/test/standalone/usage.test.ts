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

const read = async (path: string) => (await oauth.manage('GET', `/management/v1/${path}`)).json
const usage = async (path: string) => {
  const { hasMore, ...counts } = await read(`${path}/usage`)
  expect(hasMore).toBe(false)
  return counts
}

it('counts the sessions, applications and refresh tokens that would end', async () => {
  expect(await usage('applications/web')).toEqual({ sessions: 0, users: 0 })
  await oauth.tokens({ clientId: 'web', sid: 'first', scope: 'openid offline_access' })
  await oauth.tokens({ clientId: 'web', sid: 'second', scope: 'openid' })
  await oauth.tokens({ clientId: 'jwt', sid: 'second', scope: 'openid' })
  await oauth.tokens({ clientId: 'web', sid: 'of-bob', userId: 'bob', scope: 'openid' })
  expect(await usage('applications/web')).toEqual({ sessions: 3, users: 2 })
  // The sessions of this test are not in a browser.
  expect(await usage('users/alice')).toEqual({ sessions: 0, applications: 2, refreshFamilies: 1 })
  const { projectId } = await read('applications/web')
  expect(await usage(`projects/${projectId}`)).toMatchObject({ sessions: 3, users: 2 })
  const { organizationId } = await read('users/alice')
  const counted = await usage(`organizations/${organizationId}`)
  expect(counted).toMatchObject({ sessions: 3 })
  expect(counted.people).toBeGreaterThan(1)

  await oauth.logout('first')
  expect(await usage('applications/web')).toEqual({ sessions: 2, users: 2 })
  expect(await usage('users/alice')).toMatchObject({ applications: 2, refreshFamilies: 0 })
})

interface Activity {
  readonly stepSeconds: number
  readonly since?: string
  readonly spans: readonly { readonly at: string; readonly signOuts: number }[]
}

const activity = async (hours: number) => (await read(`audit/activity?hours=${hours}`)) as unknown as Activity

it('counts sign-ins, refusals and sign-outs in spans without a gap', async () => {
  const before = await activity(2)
  await oauth.logout('second')
  const { stepSeconds, spans, since } = await activity(2)
  expect([stepSeconds, since]).toEqual([300, undefined])
  const starts = spans.map(({ at }) => Date.parse(at) / 1000)
  expect(starts.map((at) => at - (starts[0] ?? 0))).toEqual(
    Array.from({ length: starts.length }, (_, index) => index * 300),
  )
  const signOuts = (list: Activity['spans']) => list.reduce((sum, span) => sum + span.signOuts, 0)
  expect(signOuts(spans)).toBe(signOuts(before.spans) + 1)
  expect((await activity(48)).stepSeconds).toBe(3_600)
  expect((await oauth.manage('GET', '/management/v1/audit/activity?hours=169')).status).toBe(400)
})
