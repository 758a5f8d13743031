import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { createAuditRecorder } from '@signet/admin-api/audit/audit-recorder'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import { silentLogger } from '@signet/platform/logger/logger'
import { FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { auditTable } from '../src/audit/audit-table.ts'
import { CredentialStore } from '../src/credentials/credential.repository.ts'
import { createVerifyPassword } from '../src/credentials/verify-password.ts'
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
          {
            id: 'imported',
            userName: 'imported',
            profile,
            passwordHash: FOREIGN_PASSWORD_HASHES.md5plain ?? '',
          },
        ],
      },
    ],
  })
})
afterAll(() => directory?.stop())

/** Fixed before the first measurement: a sample that grows until it fits would hide a small difference. */
const TRIES = 250
const LIMIT = 1.1

it(`in ${TRIES} interleaved rounds no reason of refusal takes its own share of time, within 10 % [F-32]`, async () => {
  const verify = createVerifyPassword({
    credentials: new CredentialStore(directory.owner),
    isPasskeyOffered: async () => false,
    hasher: createPasswordHasher({ concurrency: 1, queueLimit: 1 }),
    audit: createAuditRecorder(auditTable, directory.owner),
    reportRefused: () => undefined,
    recordNewBrowser: undefined,
    logger: silentLogger,
  })
  const reasons = ['alice', 'nobody', 'locked', 'none', 'imported', randomBytes(8).toString('hex')]
  const times = new Map(reasons.map((name) => [name, [] as number[]]))
  const spread = () => {
    const medians = [...times.values()].map(median)
    return Math.max(...medians) / Math.min(...medians)
  }
  for (let at = 0; at < TRIES; at += 1) {
    const round: [string, number][] = []
    // Another first one each round, so that none gains from its place.
    for (const loginName of [
      ...reasons.slice(at % reasons.length),
      ...reasons.slice(0, at % reasons.length),
    ]) {
      const from = performance.now()
      expect(await verify({ loginName, password: 'Wrong-horse-1' })).toBeUndefined()
      round.push([loginName, performance.now() - from])
    }
    // As a share of the round: on a busy machine plain medians of one and the same work differ by up to 30 %. The
    // price: shares lean towards 1, so under load a leak of 15 % is missed now and then (3 of 10 runs measured); on a
    // quiet machine it is found, and a missing hash always.
    const typical = median(round.map(([, taken]) => taken))
    for (const [loginName, taken] of round) times.get(loginName)?.push(taken / typical)
  }
  expect(spread()).toBeLessThan(LIMIT)
}, 720_000)

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
