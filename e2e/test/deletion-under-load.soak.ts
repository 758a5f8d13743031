import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { signetCommand } from '@signet/testing/system/signet-command'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN, PASSWORD } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { percentile, sendSteadily } from './repeated-requests.ts'

const PEOPLE = 10_000
const HASH = FOREIGN_PASSWORD_HASHES['bcrypt $2b$']
const WARM_UP_MS = 20_000
const DEADLINE_MS = 240_000

let system: ProcessSystem
let folder: string
beforeAll(async () => {
  system = await startSystem({ mode: 'processes' })
  folder = await mkdtemp(join(tmpdir(), 'signet-deletion-'))
}, 120_000)
afterAll(async () => {
  await system?.stop()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
}, 60_000)

/** Imports an organization whose person with the number 7 can sign in. */
async function importPeople(orgId: string): Promise<void> {
  const humanUsers = Array.from({ length: PEOPLE }, (_, at) => ({
    userId: `${orgId}-${at}`,
    user: {
      userName: `${orgId}-${at}`,
      profile: { firstName: 'Given', lastName: 'Family' },
      ...(at === 7 ? { password: PASSWORD } : { hashedPassword: { value: HASH } }),
    },
  }))
  const file = join(folder, `${orgId}.json`)
  await writeFile(file, JSON.stringify({ orgs: [{ orgId, org: { name: orgId }, humanUsers }] }))
  const said = await signetCommand(['import', file], { issuer: system.issuer, token: ADMIN_TOKEN })
  expect(said).toContain(`${PEOPLE + 1} created`)
}

it('deletes an organization of 10,000 people: its tokens end in the call, its rows later, and no other request fails', async () => {
  await importPeople('leaving')
  const { access_token: token } = await system.tokens({
    loginName: 'leaving-7',
    scope: 'openid urn:service:iam:org:id:leaving',
  })
  expect(await system.isActive(token)).toBe(true)
  // The first requests of a process take longest.
  await sendSteadily(system, pause(WARM_UP_MS))

  const took = { call: 0, rows: 0 }
  async function deletion(): Promise<void> {
    await pause(5_000)
    const beganAt = performance.now()
    expect((await system.manage('DELETE', '/organizations/leaving')).status).toBe(204)
    took.call = performance.now() - beganAt
    expect(await system.isActive(token)).toBe(false)
    const find = async () => (await system.manage('GET', '/organizations/leaving')).status
    await expect.poll(find, { timeout: DEADLINE_MS, interval: 200 }).toBe(404)
    took.rows = performance.now() - beganAt
    await pause(5_000)
  }
  const deleting = deletion()
  const answered = await sendSteadily(system, deleting)
  await deleting
  const sorted = answered.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  process.stdout.write(
    `${PEOPLE} people: the call took ${took.call.toFixed(0)} ms, the rows ${(took.rows / 1000).toFixed(1)} s; ${answered.length} other requests, p99 ${percentile(sorted, 0.99).toFixed(0)} ms\n`,
  )
  expect(answered.filter(({ isRepeated }) => isRepeated)).toEqual([])
  expect(percentile(sorted, 0.99)).toBeLessThanOrEqual(1_000)
}, 600_000)
