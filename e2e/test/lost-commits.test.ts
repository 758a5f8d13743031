import { createPreparedDataDirectory } from '@signet/testing/system/prepared-data'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import {
  type RestartablePostgres,
  startRestartablePostgres,
} from '@signet/testing/system/restartable-postgres'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { alive, signIn } from './signed-in.ts'

let postgres: RestartablePostgres
let system: ProcessSystem
beforeAll(async () => {
  postgres = await startRestartablePostgres(await createPreparedDataDirectory())
  system = await startSystem({ mode: 'processes', postgresUrl: postgres.url })
}, 120_000)
afterAll(async () => {
  await system?.stop()
  await postgres?.stop()
}, 60_000)

const RECOVERED = { timeout: 20_000 }

it('refuses what ended before PostgreSQL lost its last commits, and lets people sign in', async () => {
  const people = {
    alice: await signIn(system, 'alice'),
    bob: await signIn(system, 'bob'),
    carol: await signIn(system, 'carol'),
    dora: await signIn(system, 'dora'),
  }
  await postgres.backUp()
  await system.processes.untilReady()
  expect((await system.manage('POST', '/users/alice/sign-out')).status).toBeLessThan(300)
  expect((await system.revoke('web', people.bob.tokens.refresh_token)).status).toBe(200)
  const { items } = (await system.manage('GET', '/users/carol/sessions')).json
  const [session] = items as readonly { readonly id: string }[]
  expect((await system.manage('DELETE', `/users/carol/sessions/${session?.id}`)).status).toBe(204)

  await postgres.loseCommits()
  await system.processes.untilReady()

  const left = (name: keyof typeof people) => alive(system, people[name]).catch(String)
  await expect.poll(() => left('alice'), RECOVERED).toEqual([])
  await expect.poll(() => left('bob'), RECOVERED).toEqual(['session'])
  await expect.poll(() => left('carol'), RECOVERED).toEqual([])
  expect(await left('dora')).toEqual(['access', 'refresh', 'session'])
  // Alice, who was signed out, signs in with the right password.
  await expect
    .poll(async () => alive(system, await signIn(system, 'alice')).catch(String), RECOVERED)
    .toEqual(['access', 'refresh', 'session'])

  // A process that starts now knows only what PostgreSQL and Redis have.
  for (const service of ['introspection', 'login', 'token'] as const) {
    for (const replica of system.processes.replicas(service)) {
      await replica.end('SIGTERM')
      await replica.start()
    }
  }
  await system.processes.untilReady()
  expect([await left('alice'), await left('carol')]).toEqual([[], []])
}, 120_000)
