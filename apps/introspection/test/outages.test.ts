import { Secret } from '@signet/platform/config/settings-fields'
import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { startTcpRelay, type TcpRelay } from '@signet/testing/tcp-relay'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'

const postgresUrl = new Secret(inject('postgresUrl'))
let postgres: TcpRelay
let redis: TcpRelay
let environment: OAuthEnvironment
let alive: string
let revoked: string
beforeAll(async () => {
  postgres = await startTcpRelay(postgresUrl)
  redis = await startTcpRelay()
  const system = await startSystem({
    ...OAUTH_SYSTEM,
    postgresThrough: postgres.through,
    redisThrough(url) {
      redis.lead(url)
      return redis.through(url)
    },
  })
  environment = createOAuthEnvironment(system)
  const token = async () => String((await environment.tokens()).json.access_token)
  alive = await token()
  revoked = await token()
  await environment.revoke(revoked)
})
afterAll(async () => {
  // The workers of migration do not stop without Redis.
  const connections = redis.connections()
  redis.lead(environment.system.redisUrl)
  postgres.lead(postgresUrl)
  await vi.waitUntil(() => redis.connections() >= 2 * connections, { timeout: 10_000 })
  await environment.stop()
  await Promise.all([postgres.stop(), redis.stop()])
})

const activeOf = async (token: string) => (await environment.introspect(token)).json.active

it('with everything available: distinguishes active from revoked tokens [F-24]', async () => {
  expect([await activeOf(alive), await activeOf(revoked)]).toEqual([true, false])
})

it('without Redis PostgreSQL distinguishes active from revoked tokens [F-24]', async () => {
  redis.lead(undefined)
  expect([await activeOf(alive), await activeOf(revoked)]).toEqual([true, false])
})

it('without both: no token is reported active: 503 with Retry-After [F-24]', async () => {
  postgres.lead(undefined)
  for (const token of [alive, revoked]) {
    const answer = await environment.introspect(token)
    expect(answer.json.active).not.toBe(true)
    if (token === alive) {
      expect(answer).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } })
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    }
  }
})
