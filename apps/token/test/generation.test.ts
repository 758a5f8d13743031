import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGeneration } from '../src/revocation/recovery-repository.ts'
import { type GrantWorld, rotationOf, startGrantWorld, WINDOWS } from './fixtures/grant-world.ts'

const RESTORED = 1_764_000_000

let world: GrantWorld
beforeAll(async () => {
  world = await startGrantWorld()
})
afterAll(() => world?.stop())

const restore = (generation: number) => world.sql('UPDATE grants.generation SET value = $1', [generation])

describe('grants of a generation below that of the database', () => {
  it('are revoked: no rotation, no redemption, no new grant, not listed', async () => {
    const { grants } = world.replica()
    const { grant, redemption } = world.newGrant()
    expect(await grants.redeem(redemption, grant)).toEqual({ outcome: 'redeemed' })
    expect(await grants.rotate(rotationOf(grant, 0), WINDOWS)).toMatchObject({ outcome: 'rotated' })
    expect(await grants.ofUser('alice', new Date())).toHaveLength(1)
    await restore(RESTORED)
    expect(await grants.rotate(rotationOf(grant, 1), WINDOWS)).toEqual({ outcome: 'refused' })
    // Not even what a client would be answered that missed the last rotation.
    expect(await grants.rotate(rotationOf(grant, 0), WINDOWS)).toEqual({ outcome: 'refused' })
    expect(await grants.ofUser('alice', new Date())).toEqual([])
    const code = world.newGrant()
    expect(await grants.redeem(code.redemption, code.grant)).toEqual({ outcome: 'ended' })
    expect(await grants.begin(world.newGrant().grant)).toBe('ended')
  })

  it('do not hinder those of the new one', async () => {
    await restore(RESTORED)
    const { grants } = world.replica()
    const { grant, redemption } = world.newGrant({ generation: RESTORED })
    expect(await grants.redeem(redemption, grant)).toEqual({ outcome: 'redeemed' })
    expect(await grants.rotate(rotationOf(grant, 0), WINDOWS)).toMatchObject({
      outcome: 'rotated',
      grant: { generation: RESTORED },
    })
  })
})

it('the generation is that of the start until it is read again', async () => {
  await restore(1)
  const generation = await openGeneration(world.database)
  await restore(2)
  expect(generation.current()).toBe(1)
  await generation.refresh()
  expect(generation.current()).toBe(2)
})
