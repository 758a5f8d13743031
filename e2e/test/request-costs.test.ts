import { createRequestCounter } from '@signet/testing/request-costs'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { POST_LOGOUT_URI } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, expect, it } from 'vitest'

const counter = createRequestCounter()
let system: InProcessSystem
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process', tracing: counter.tracing })
})
afterAll(() => system?.stop())

const scope = 'openid offline_access'

/** Signs out as the application of an ID token asks for. */
async function signOut(browser: ReturnType<InProcessSystem['newBrowser']>, idToken: string) {
  const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: POST_LOGOUT_URI })
  const { status } = await browser.send(`/oidc/v1/end_session?${query}`)
  expect(status).toBe(303)
}

/** Visits everything once, and until the services follow the log of revocations instead of asking PostgreSQL. */
async function fillCaches(): Promise<void> {
  const browser = system.newBrowser()
  const { id_token } = await system.tokens({ browser })
  const asksDatabase = async () => {
    await counter.take()
    await system.signIn({ browser })
    return (await counter.take()).some(({ postgres }) => postgres.waits > 0)
  }
  await expect.poll(asksDatabase, { timeout: 10_000 }).toBe(false)
  await signOut(browser, id_token)
  await counter.take()
}

/** A line for each request: waits for Redis (commands), waits for PostgreSQL (statements), gRPC calls. */
async function costs(): Promise<readonly string[]> {
  return (await counter.take()).map(({ request, redis, postgres, calls }) => {
    const stores = [redis, postgres].map(({ waits, sent }) => `${waits} (${sent.length})`)
    return [request, ...stores, calls.join(', ') || '0'].join(' | ')
  })
}

it('waits for stores and services as often as the table of hot paths in ARCHITECTURE.md says', async () => {
  await fillCaches()
  const browser = system.newBrowser()
  const { id_token } = await system.tokens({ browser, scope })
  expect(await costs()).toEqual([
    'GET /oauth/v2/authorize | 2 (2) | 0 (0) | 0',
    'GET /ui/login | 1 (1) | 1 (1) | 0',
    'POST /ui/login | 3 (8) | 3 (6) | FindAttemptKey, VerifyPassword, IssueCode',
    'POST /oauth/v2/token | 0 (0) | 1 (5) | 0',
  ])
  await system.signIn({ browser, scope })
  expect(await costs()).toEqual(['GET /oauth/v2/authorize | 2 (2) | 0 (0) | IssueCode'])
  await signOut(browser, id_token)
  expect(await costs()).toEqual(['GET /oidc/v1/end_session | 3 (5) | 2 (7) | EndSession'])
})
