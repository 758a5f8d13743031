import { afterAll, beforeAll, expect, it } from 'vitest'
import type { NewGrant } from '../src/grant-store.ts'
import { UseStore } from '../src/logout/use.repository.ts'
import { type GrantEnvironment, startGrantEnvironment } from './fixtures/grant-environment.ts'

let environment: GrantEnvironment
beforeAll(async () => {
  environment = await startGrantEnvironment()
})
afterAll(() => environment?.stop())

async function redeem(overrides: Partial<NewGrant>, { withSession = true } = {}) {
  const { grant: made, redemption } = environment.newGrant(overrides)
  const { sid: _, sessionEnd: __, ...kept } = made
  const grant = withSession ? made : kept
  expect(await environment.replica().grants.redeem(redemption, grant)).toEqual({ outcome: 'redeemed' })
}

it('counts the sessions and refresh tokens of people at some applications alone', async () => {
  await redeem({ clientId: 'web' })
  await redeem({ clientId: 'web' }, { withSession: false })
  await redeem({ clientId: 'keeping', client: { id: 'keeping', epoch: 0 } })
  const uses = new UseStore(environment.database)
  const count = (clientIds: readonly string[]) =>
    uses.count('user', { ids: ['alice', 'bob'], clientIds }, new Date())
  expect(await count([])).toMatchObject({ sessions: 2, applications: 2, refreshFamilies: 3 })
  expect(await count(['web'])).toMatchObject({ sessions: 1, applications: 1, refreshFamilies: 2 })
  expect(await count(['web', 'keeping'])).toMatchObject({ refreshFamilies: 3 })
  expect(await count(['other'])).toMatchObject({ sessions: 0, refreshFamilies: 0 })
})
