import { Readable } from 'node:stream'
import { newIdentity, opened } from '@signet/file-formats/archive/sealing'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from './migration-client.ts'

describe('an instance that exports sealed archives only', () => {
  let migration: MigrationClient
  let pair: Awaited<ReturnType<typeof newIdentity>>
  beforeAll(async () => {
    migration = createMigrationClient(await startSystem(migrationSystem({ sealedExports: true })))
    pair = await newIdentity()
  })
  afterAll(() => migration?.system.stop())

  const exportSealed = () =>
    migration.call('POST', '/export', { org_ids: ['home'], recipients: [pair.recipient] })

  it('refuses an export without recipients, and starts no job', async () => {
    for (const recipients of [undefined, null, []]) {
      const refused = await migration.call('POST', '/export', { recipients })
      expect(refused.status).toBe(400)
      expect(await refused.json()).toMatchObject({ details: [{ field: 'recipients' }] })
    }
    expect(await (await migration.call('GET', '/jobs')).json()).toEqual({ jobs: [] })
  })

  it('seals the response, and says so in the job', async () => {
    const response = await exportSealed()
    expect(response.status).toBe(200)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.includes('"orgs"')).toBe(false)
    let text = ''
    for await (const chunk of opened(Readable.from([bytes]), [pair.identity])) text += chunk
    expect(JSON.parse(text)).toMatchObject({
      orgs: [{ orgId: 'home' }],
      meta: { manifest: expect.any(String) },
    })
    const job = await (await migration.call('GET', `/jobs/${response.headers.get('x-signet-job')}`)).json()
    expect(job).toMatchObject({ state: 'succeeded', result: { sealed: true } })
  })

  it('sends no unsealed document for a sealed export', async () => {
    const response = await exportSealed()
    await response.arrayBuffer()
    const id = response.headers.get('x-signet-job') ?? ''
    expect((await migration.call('GET', `/jobs/${id}/document`)).status).toBe(200)
    // As a worker of the version before leaves it, which does not know recipients: the next attempt of the same job.
    await migration.system.database.query({
      name: '',
      text: `UPDATE migration.job SET state = 'queued', phase = 'queued', ended_at = NULL, request = request - 'recipients',
                    worker_id = NULL, deadline_at = now() + interval '1 min'
              WHERE job_id = $1`,
      values: [id],
    })
    await expect
      .poll(async () => (await (await migration.call('GET', `/jobs/${id}`)).json()).state, {
        timeout: 20_000,
      })
      .toBe('succeeded')
    await migration.system.database.query({
      name: '',
      text: 'UPDATE migration.job SET request = request || $2 WHERE job_id = $1',
      values: [id, JSON.stringify({ recipients: [pair.recipient] })],
    })
    const refused = await migration.call('GET', `/jobs/${id}/document`)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ details: [{ id: 'document_unsealed' }] })
  })
})
