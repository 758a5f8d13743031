import { ComposeSystem } from '@signet/testing/system/compose-system'
import { beforeAll, describe, expect, it } from 'vitest'

const { SIGNET_PORT, SIGNET_TEST_COMPOSE = '[]' } = process.env
let system: ComposeSystem

beforeAll(async () => {
  system = await ComposeSystem.connect(`http://localhost:${SIGNET_PORT}`, JSON.parse(SIGNET_TEST_COMPOSE))
})

/** Asks for a token again and again until stopped; answers how often it was called dead. */
function askContinuously(token: string): () => Promise<number> {
  let stopped = false
  let dead = 0
  const asking = (async () => {
    while (!stopped) if ((await system.isActive(token)) === false) dead += 1
  })()
  return async () => {
    stopped = true
    await asking
    return dead
  }
}

describe('the images, composed', () => {
  it('sign a person in at the edge; another token does not count', async () => {
    await expect.poll(() => system.accessToken().catch((error: unknown) => error)).toEqual(expect.any(String))
    expect(await system.isActive(await system.accessToken())).toBe(true)
    expect(await system.isActive('another')).toBe(false)
  })

  it('F-44: run without root and cannot write to their file system', async () => {
    for (const service of [
      'login',
      'token',
      'introspection',
      'keys',
      'directory',
      'edge',
      'object-storage',
    ]) {
      const tried = system.compose('exec', '-T', service, 'sh', '-c', 'id -u; touch /written && echo written')
      await expect(tried, service).rejects.toMatchObject({ stdout: '65532\n' })
    }
  })

  it('F-44: each service sees its own secrets alone', async () => {
    const files = await system.compose('exec', '-T', 'introspection', 'ls', '/run/signet')
    expect(files.split(/\s+/).filter(Boolean)).toEqual([
      'ca.crt',
      'postgres-url',
      'redis-url',
      'tls.crt',
      'tls.key',
    ])
  })

  it('F-46: no log has a secret of the first start', async () => {
    const services = [
      'login',
      'token',
      'introspection',
      'keys',
      'directory',
      'migrate',
      'edge',
      'postgres',
      'redis',
      'object-storage',
      'migration-api',
      'migration-worker',
    ]
    const logs = await system.compose('logs', '--no-color', ...services)
    expect(logs).toContain('"event":"ready"')
    for (const name of ['alice', 'web', 'api', 'administrator'])
      expect(logs.includes(system.secretOf(name)), name).toBe(false)
  })

  it.each([
    'login',
    'token',
    'introspection',
    'keys',
    'directory',
    'migration-api',
    'migration-worker',
    'object-storage',
    'redis',
    'postgres',
    'edge',
  ])('killing %s under load loses no token, and the suite recovers', async (service) => {
    const token = await system.accessToken()
    const stop = askContinuously(token)
    await system.compose('kill', service)
    await system.compose('up', '--detach', '--no-deps', service)
    await expect.poll(() => system.accessToken().catch((error: unknown) => error)).toEqual(expect.any(String))
    await expect.poll(() => system.isActive(token)).toBe(true)
    expect(await stop()).toBe(0)
  })
})
