import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import { silentLogger } from '@signet/service-runtime/logger'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyPassword } from '../src/credentials/verify-password.ts'
import { PostgresCredentialStore } from '../src/stores/credential-store.ts'
import { type DirectoryFixture, directoryFixture, PASSWORD } from './directory-fixture.ts'

let directory: DirectoryFixture
beforeAll(async () => {
  directory = await directoryFixture()
  const profile = { givenName: 'A', familyName: 'B' }
  await directory.apply({
    organizations: [
      {
        id: 'acme',
        name: 'ACME',
        primaryDomain: 'acme.localhost',
        users: [
          { id: 'alice', userName: 'alice', profile, password: PASSWORD },
          { id: 'locked', userName: 'locked', profile, password: PASSWORD, state: 'locked' },
          { id: 'none', userName: 'none', profile },
        ],
      },
    ],
  })
})
afterAll(() => directory?.stop())

const TRIES = 100

it(`F-32: medians of ${TRIES} interleaved refusals lie within 10 %, whatever the reason`, async () => {
  const verify = verifyPassword({
    credentials: new PostgresCredentialStore(directory.owner),
    hasher: createPasswordHasher({ concurrency: 1, queueLimit: 1 }),
    logger: silentLogger,
  })
  const reasons = ['alice', 'nobody', 'locked', 'none', randomBytes(8).toString('hex')]
  const times = new Map(reasons.map((name) => [name, [] as number[]]))
  for (let at = 0; at < TRIES; at += 1) {
    for (const [loginName, taken] of times) {
      const from = performance.now()
      expect(await verify({ loginName, password: 'Wrong-horse-1' })).toBeUndefined()
      taken.push(performance.now() - from)
    }
  }
  const medians = [...times.values()].map((taken) => taken.sort((a, b) => a - b)[TRIES / 2] ?? 0)
  expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(1.1)
}, 120_000)
