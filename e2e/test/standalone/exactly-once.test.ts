import { size } from '@signet/testing/sizes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Replica, type Suites, startSuites, type Tokens } from './suites.ts'

const PARALLEL_REDEMPTIONS = 100
const PARALLEL_REFRESHES = 50

let suites: Suites
beforeAll(async () => {
  suites = await startSuites({ replicas: 2, userIds: ['alice'] })
}, 60_000)
afterAll(() => suites?.close())

const replicaOf = (index: number): Replica => suites.replicas[index % suites.replicas.length] as Replica
const sessionOf = (sid: string) => ({ sid, userId: 'alice', userEpoch: 0 })

async function newTokens(sid: string): Promise<Tokens> {
  const { status, body } = await replicaOf(0).redeem(await replicaOf(1).issueCode(sessionOf(sid)))
  expect(status).toBe(200)
  return body
}

describe('F-05: an authorization code', () => {
  it(`of ${PARALLEL_REDEMPTIONS} parallel redemptions on two replicas exactly one succeeds`, async () => {
    for (let round = 0; round < size('racedCodes'); round += 1) {
      const code = await replicaOf(round).issueCode(sessionOf(`race-${round}`))
      const answers = await Promise.all(
        Array.from({ length: PARALLEL_REDEMPTIONS }, (_, index) => replicaOf(index).redeem(code)),
      )
      const won = answers.filter(({ status }) => status === 200)
      expect(won).toHaveLength(1)
      // The losers were valid replays, so what the winner got has ended.
      expect(await replicaOf(round).isActive(won[0]?.body.access_token ?? '')).toBe(false)
    }
  }, 3_600_000)

  it('RFC 6749 section 4.1.2: a valid replay ends the grant, an invalid one does not', async () => {
    const code = await replicaOf(0).issueCode(sessionOf('replay'))
    const { body } = await replicaOf(0).redeem(code)
    const damaged = `${code.slice(0, -4)}AAAA`
    expect((await replicaOf(1).redeem(damaged)).status).toBe(400)
    expect(await replicaOf(1).isActive(body.access_token)).toBe(true)
    expect((await replicaOf(1).redeem(code)).status).toBe(400)
    expect(await replicaOf(0).isActive(body.access_token)).toBe(false)
    expect((await replicaOf(0).refresh(body.refresh_token)).status).toBe(400)
  })
})

describe('F-19: a refresh token', () => {
  it(`presented ${PARALLEL_REFRESHES} times at once has one successor, byte for byte the same`, async () => {
    for (let round = 0; round < size('racedFamilies'); round += 1) {
      const { refresh_token } = await newTokens(`refresh-${round}`)
      const answers = await Promise.all(
        Array.from({ length: PARALLEL_REFRESHES }, (_, index) => replicaOf(index).refresh(refresh_token)),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
      expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(PARALLEL_REFRESHES)
    }
  }, 3_600_000)

  it('older than the predecessor ends its family', async () => {
    const first = await newTokens('reuse')
    const second = (await replicaOf(0).refresh(first.refresh_token)).body
    const third = (await replicaOf(1).refresh(second.refresh_token)).body
    expect((await replicaOf(0).refresh(first.refresh_token)).status).toBe(400)
    expect((await replicaOf(1).refresh(third.refresh_token)).status).toBe(400)
    expect(await replicaOf(1).isActive(third.access_token)).toBe(false)
  })
})
