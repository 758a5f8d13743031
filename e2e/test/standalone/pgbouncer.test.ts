import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { interleave, seedOfRun } from './interleavings.ts'
import { type Replica, type Suites, startSuites } from './suites.ts'

const USERS = ['user-0', 'user-1', 'user-2']
const INTERLEAVINGS = 20

let suites: Suites
beforeAll(async () => {
  suites = await startSuites({ replicas: 2, userIds: USERS, pooled: true })
}, 60_000)
afterAll(() => suites?.close())

describe('through PgBouncer in transaction mode, named statements off', () => {
  it('one of 100 parallel redemptions succeeds', async () => {
    const [one, other] = suites.replicas as [Replica, Replica]
    const code = await one.issueCode({ sid: 'pooled', userId: 'user-0', userEpoch: 0 })
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? one : other).redeem(code)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('ended tokens stay ended [F-20]', async () => {
    for (let round = 0; round < INTERLEAVINGS; round += 1)
      await interleave(suites, USERS, `${seedOfRun()}-${round}`)
  }, 600_000)
})
