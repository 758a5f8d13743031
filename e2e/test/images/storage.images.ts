import { ComposeSystem } from '@signet/testing/system/compose-system'
import { beforeAll, describe, expect, it } from 'vitest'

const { SIGNET_PORT, SIGNET_TEST_COMPOSE = '[]' } = process.env
const PATH = 'nightly/all.json'
let system: ComposeSystem

beforeAll(async () => {
  system = await ComposeSystem.connect(`http://localhost:${SIGNET_PORT}`, JSON.parse(SIGNET_TEST_COMPOSE))
})

describe('the object storage of docker-compose.yml', () => {
  it('takes an export, and restores deleted objects from it', async () => {
    await expect
      .poll(() => system.accessToken('bob').catch((error: unknown) => error))
      .toEqual(expect.any(String))
    const whole = { with_passwords: true, timeout: '2m', storage_output: { path: PATH } }
    expect(await system.job('/admin/v1/export', whole)).toMatchObject({ state: 'succeeded' })
    const stored = await system.compose('exec', '-T', 'object-storage', 'cat', `/objects/exports/${PATH}`)
    expect(stored).toContain('"userName":"bob"')

    await system.call('DELETE', '/management/v1/users/bob')
    await expect(system.accessToken('bob')).rejects.toThrow('no code')

    const imported = { timeout: '2m', org_ids: ['acme'], data_orgsv1_storage: { path: PATH } }
    expect(await system.job('/admin/v1/import', imported)).toMatchObject({ counts: { created: 1 } })
    expect(await system.isActive(await system.accessToken('bob'))).toBe(true)
  })

  it('does not replace an object', async () => {
    const job = await system.job('/admin/v1/export', { timeout: '2m', storage_output: { path: PATH } })
    expect(job).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('exists already') },
    })
  })

  it('completes an export that was requested while worker and storage were down, once they are back', async () => {
    const services = ['object-storage', 'migration-worker']
    await system.compose('kill', ...services)
    const job = system.job('/admin/v1/export', {
      timeout: '4m',
      storage_output: { path: 'nightly/later.json' },
    })
    await system.compose('up', '--detach', '--no-deps', ...services)
    expect(await job).toMatchObject({ state: 'succeeded' })
  })
})

it('the image of the command calls the suite', async () => {
  const read = await system.signet('organization', 'read', 'acme', '--output', 'json')
  expect(JSON.parse(read)).toMatchObject({ id: 'acme', name: 'ACME' })
})
