import { ComposeSuite } from '@signet/testing/system/compose-suite'
import { beforeAll, describe, expect, it } from 'vitest'

const { SIGNET_PORT, SIGNET_TEST_COMPOSE = '[]' } = process.env
const PATH = 'nightly/all.json'
let suite: ComposeSuite

beforeAll(async () => {
  suite = await ComposeSuite.connect(`http://localhost:${SIGNET_PORT}`, JSON.parse(SIGNET_TEST_COMPOSE))
})

describe('the object storage of docker-compose.yml', () => {
  it('takes an export, and restores deleted objects from it', async () => {
    await expect
      .poll(() => suite.accessToken('bob').catch((error: unknown) => error))
      .toEqual(expect.any(String))
    const whole = { with_passwords: true, timeout: '2m', storage_output: { path: PATH } }
    expect(await suite.job('/admin/v1/export', whole)).toMatchObject({ state: 'succeeded' })
    const stored = await suite.compose('exec', '-T', 'object-storage', 'cat', `/objects/exports/${PATH}`)
    expect(stored).toContain('"userName":"bob"')

    await suite.call('DELETE', '/management/v1/users/bob')
    await expect(suite.accessToken('bob')).rejects.toThrow('no code')

    const imported = { timeout: '2m', data_orgsv1_storage: { path: PATH } }
    expect(await suite.job('/admin/v1/import', imported)).toMatchObject({ counts: { created: 1 } })
    expect(await suite.isActive(await suite.accessToken('bob'))).toBe(true)
  })

  it('does not replace an object', async () => {
    const job = await suite.job('/admin/v1/export', { timeout: '2m', storage_output: { path: PATH } })
    expect(job).toMatchObject({
      state: 'failed',
      error: { message: expect.stringContaining('exists already') },
    })
  })

  it('completes an export that was requested while worker and storage were down, once they are back', async () => {
    const services = ['object-storage', 'migration-worker']
    await suite.compose('kill', ...services)
    const job = suite.job('/admin/v1/export', {
      timeout: '4m',
      storage_output: { path: 'nightly/later.json' },
    })
    await suite.compose('up', '--detach', '--no-deps', ...services)
    expect(await job).toMatchObject({ state: 'succeeded' })
  })
})

it('the image of the command calls the suite', async () => {
  const read = await suite.signet('organization', 'read', 'acme', '--output', 'json')
  expect(JSON.parse(read)).toMatchObject({ id: 'acme', name: 'ACME' })
})
