import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGeneration } from '../src/revocation/recovery.repository.ts'
import {
  type GrantEnvironment,
  rotationOf,
  startGrantEnvironment,
  WINDOWS,
} from './fixtures/grant-environment.ts'

const RESTORED = 1_764_000_000

let environment: GrantEnvironment
beforeAll(async () => {
  environment = await startGrantEnvironment()
})
afterAll(() => environment?.stop())

const restore = (generation: number) =>
  environment.sql('UPDATE grants.generation SET value = $1', [generation])

describe('grants of a generation below that of the database', () => {
  it('are revoked: no rotation, no redemption, no new grant, not listed', async () => {
    const { grants } = environment.replica()
    const { grant, redemption } = environment.newGrant()
    expect(await grants.redeem(redemption, grant)).toEqual({ outcome: 'redeemed' })
    expect(await grants.rotate(rotationOf(grant, 0), WINDOWS)).toMatchObject({ outcome: 'rotated' })
    expect(await grants.ofUser('alice', new Date())).toHaveLength(1)
    await restore(RESTORED)
    expect(await grants.rotate(rotationOf(grant, 1), WINDOWS)).toEqual({ outcome: 'refused' })
    // Not even what a client would be answered that missed the last rotation.
    expect(await grants.rotate(rotationOf(grant, 0), WINDOWS)).toEqual({ outcome: 'refused' })
    expect(await grants.ofUser('alice', new Date())).toEqual([])
    const code = environment.newGrant()
    expect(await grants.redeem(code.redemption, code.grant)).toEqual({ outcome: 'ended' })
    expect(await grants.begin(environment.newGrant().grant)).toBe('ended')
  })

  it('do not hinder those of the new one', async () => {
    await restore(RESTORED)
    const { grants } = environment.replica()
    const { grant, redemption } = environment.newGrant({ generation: RESTORED })
    expect(await grants.redeem(redemption, grant)).toEqual({ outcome: 'redeemed' })
    expect(await grants.rotate(rotationOf(grant, 0), WINDOWS)).toMatchObject({
      outcome: 'rotated',
      grant: { generation: RESTORED },
    })
  })
})

it('the generation is that of the start until it is read again', async () => {
  await restore(1)
  const generation = await openGeneration(environment.database)
  await restore(2)
  expect(generation.current()).toBe(1)
  await generation.refresh()
  expect(generation.current()).toBe(2)
})
