import { type CrashSuite, startCrashSuite } from '@signet/testing/system/crash-suite'
import { alive, signIn } from '@signet/testing/system/recovery-suite'
import { Suite } from '@signet/testing/system/suite'
import { bootstrapDocument } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, expect, it } from 'vitest'

let crash: CrashSuite
let suite: Suite
beforeAll(async () => {
  crash = await startCrashSuite(bootstrapDocument())
  suite = new Suite(crash.signet, crash.file)
}, 120_000)
afterAll(() => crash?.stop(), 60_000)

const RECOVERED = { timeout: 20_000 }

it('refuses what ended before PostgreSQL lost its last commits, and lets people sign in', async () => {
  const people = {
    alice: await signIn(suite, 'alice'),
    bob: await signIn(suite, 'bob'),
    carol: await signIn(suite, 'carol'),
    dora: await signIn(suite, 'dora'),
  }
  await crash.postgres.backUp()
  await crash.signet.processes.untilReady()
  expect((await suite.manage('POST', '/users/alice/sign-out')).status).toBeLessThan(300)
  expect((await suite.revoke('web', people.bob.tokens.refresh_token)).status).toBe(200)
  const { items } = (await suite.manage('GET', '/users/carol/sessions')).json
  const [session] = items as readonly { readonly id: string }[]
  expect((await suite.manage('DELETE', `/users/carol/sessions/${session?.id}`)).status).toBe(204)

  await crash.postgres.loseCommits()
  await crash.signet.processes.untilReady()

  const left = (name: keyof typeof people) => alive(suite, people[name]).catch(String)
  await expect.poll(() => left('alice'), RECOVERED).toEqual([])
  await expect.poll(() => left('bob'), RECOVERED).toEqual(['session'])
  await expect.poll(() => left('carol'), RECOVERED).toEqual([])
  expect(await left('dora')).toEqual(['access', 'refresh', 'session'])
  // Alice, who was signed out, signs in with the right password.
  await expect
    .poll(async () => alive(suite, await signIn(suite, 'alice')).catch(String), RECOVERED)
    .toEqual(['access', 'refresh', 'session'])

  // A process that starts now knows only what PostgreSQL and Redis have.
  for (const service of ['introspection', 'login', 'token'] as const) {
    for (const replica of crash.signet.processes.replicas(service)) {
      await replica.end('SIGTERM')
      await replica.start()
    }
  }
  await crash.signet.processes.untilReady()
  expect([await left('alice'), await left('carol')]).toEqual([[], []])
}, 120_000)
