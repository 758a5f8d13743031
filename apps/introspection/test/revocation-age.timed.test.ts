import { Secret } from '@signet/platform/config/settings-fields'
import {
  createOAuthEnvironment,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { startTcpRelay, type TcpRelay } from '@signet/testing/tcp-relay'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

const postgresUrl = new Secret(inject('postgresUrl'))
let postgres: TcpRelay
let environment: OAuthEnvironment
beforeAll(async () => {
  postgres = await startTcpRelay(postgresUrl)
  const options = { ...OAUTH_SYSTEM, postgresThrough: postgres.through }
  environment = createOAuthEnvironment(await startSystem(options))
})
afterAll(async () => {
  await environment?.stop()
  await postgres?.stop()
})

it('responds without PostgreSQL for a limited time, and reports the age of its data', async () => {
  const issue = async () => String((await environment.tokens()).json.access_token)
  const [alive, revoked] = [await issue(), await issue()]
  await environment.revoke(revoked)
  const fresh = await environment.introspect(alive)
  expect([fresh.json.active, fresh.headers.get('signet-revocation-age')]).toEqual([true, null])
  // A process that has not begun to follow the log needs PostgreSQL for that.
  await expect
    .poll(
      async () => {
        postgres.lead(undefined)
        const { status } = await environment.introspect(alive)
        if (status === 503) postgres.lead(postgresUrl)
        return status
      },
      { interval: 2_000, timeout: 20_000 },
    )
    .toBe(200)
  await expect
    .poll(async () => {
      const { json, headers } = await environment.introspect(alive)
      return [json.active, Number(headers.get('signet-revocation-age')) > 2]
    })
    .toEqual([true, true])
  expect((await environment.introspect(revoked)).json.active).toBe(false)
})
