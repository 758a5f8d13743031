import { type Logger, silentLogger } from '@signet/platform/logger/logger'
import { createMetrics } from '@signet/platform/metrics/metrics'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleDocument } from './directory-fixture.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'

const metrics = createMetrics()
const logged: unknown[] = []
const logger: Logger = {
  ...silentLogger,
  error: (event, fields) => void logged.push({ event, ...fields }),
}

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture({ metrics, logger })
  await management.directory.apply(sampleDocument())
  management.bearers.set('owner', { userId: 'root', roles: ['IAM_OWNER'] })
  await refuse('53100')
})
afterAll(() => management?.stop())

/** Has PostgreSQL refuse each new audit event with this SQLSTATE. */
async function refuse(state: string): Promise<void> {
  await management.directory.rows(
    `CREATE OR REPLACE FUNCTION directory.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '${state}'; END $$`,
  )
  await management.directory.asAdministrator(
    'CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON directory_audit.audit_event FOR EACH ROW EXECUTE FUNCTION directory.refuse()',
  )
}

describe('the management API beside a full disk', () => {
  it('responds to reads, writes their events to the log and counts them', async () => {
    const response = await management.call('GET', '/users/alice', undefined, 'owner')
    expect(response).toMatchObject({ status: 200, body: { id: 'alice' } })
    expect(logged).toMatchObject([
      {
        event: 'audit_read_unrecorded',
        name: 'user.read',
        userId: 'root',
        kind: 'user',
        targetId: 'alice',
      },
    ])
    expect(await metrics.text()).toContain('signet_audit_reads_unrecorded_total 1')
  })

  it('refuses changes as unavailable and changes nothing', async () => {
    const before = await management.directory.digests()
    const response = await management.call('PATCH', '/users/alice', { state: 'inactive' }, 'owner')
    expect(response).toMatchObject({ status: 503, body: { code: 14 } })
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await management.directory.digests()).toEqual(before)
  })

  it('refuses reads whose event is refused for another reason', async () => {
    await refuse('57014')
    expect((await management.call('GET', '/users/alice', undefined, 'owner')).status).toBe(503)
  })
})
