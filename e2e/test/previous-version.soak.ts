import { fileURLToPath } from 'node:url'
import { FROM_SOURCES } from '@signet/dev-stack/processes/child'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import { checkOutPreviousVersion, type PreviousVersion } from '@signet/testing/system/previous-version'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN } from '@signet/testing/system/test-directory'
import { tokensOf } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

let previous: PreviousVersion
let system: ProcessSystem
/** The services that the version before runs from their next start on. */
const downgraded = new Set<string>()

beforeAll(async () => {
  previous = await checkOutPreviousVersion(ROOT, process.env.SIGNET_TEST_PREVIOUS)
  // The schema is that of this version; so is the command that makes certificates.
  system = await startSystem({
    mode: 'processes',
    program: (app) => (downgraded.has(app) ? previous.program(app) : FROM_SOURCES(app)),
  })
}, 600_000)

afterAll(async () => {
  await system?.stop()
  await previous?.remove()
}, 60_000)

/** The operations of a user, an application and an administrator; throws when one of them fails. */
async function everything(): Promise<true> {
  const { access_token, refresh_token } = await system.tokens()
  expect(await system.isActive(access_token)).toBe(true)
  const refreshed = tokensOf(await system.refresh('web', refresh_token))
  await system.revoke('web', refreshed.refresh_token)
  expect(await system.isActive(refreshed.access_token)).toBe(false)
  await moveAnOrganization()
  return true
}

/** Makes an organization with a person, exports it, and imports it under other ids. */
async function moveAnOrganization(): Promise<void> {
  const name = `made-${crypto.randomUUID()}`
  const made = await system.manage('POST', '/organizations', { name, primaryDomain: `${name}.localhost` })
  const person = {
    organizationId: made.json.id,
    userName: 'moved',
    profile: { givenName: 'M', familyName: 'V' },
  }
  const user = await system.manage('POST', '/users', person)
  expect([made.status, user.status]).toEqual([201, 201])
  const exported = await administer('/export', { orgIds: [made.json.id], withPasswords: true })
  expect(exported.status).toBe(200)
  const copy = [name, made.json.id, user.json.id].reduce<string>(
    (text, id) => text.replaceAll(String(id), `${id}-copy`),
    exported.text,
  )
  const imported = await administer('/import', { dataOrgsv1: JSON.parse(copy), ignoreChecksum: true })
  expect(imported).toMatchObject({
    status: 200,
    json: { success: { orgs: [{ humanUserIds: [`${user.json.id}-copy`] }] } },
  })
}

async function administer(path: string, body: object) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  return system.fetch(`/admin/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function restart(service: ServiceName): Promise<void> {
  for (const replica of system.processes.replicas(service)) {
    await replica.end('SIGTERM')
    await replica.start()
  }
  await system.processes.untilReady()
}

const untilEverythingWorks = () =>
  expect.poll(() => everything().catch((error: unknown) => error), { timeout: 60_000 }).toBe(true)

/** Their replicas of the version before are stopped for the upgrade; apps/migrate refuses until they are. */
const STOPPED: readonly ServiceName[] = ['token', 'introspection', 'login']

/** The services whose version before runs beside this one. */
async function running(): Promise<readonly ServiceName[]> {
  if (await previous.hasMigration('apps/token/migrations/0015')) return SERVICE_NAMES
  return SERVICE_NAMES.filter((service) => !STOPPED.includes(service))
}

describe('docs/upgrades.md: version N-1 runs on schema N', () => {
  it('one service of the version before, the others of this one', async () => {
    for (const service of await running()) {
      downgraded.add(service)
      await restart(service)
      await untilEverythingWorks()
      downgraded.delete(service)
      await restart(service)
      await untilEverythingWorks()
    }
  }, 900_000)

  it('all services of the version before that do not stop', async () => {
    for (const service of await running()) {
      downgraded.add(service)
      await restart(service)
    }
    await untilEverythingWorks()
  }, 180_000)
})
