import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ComposeSystem } from '@signet/testing/system/compose-system'
import { beforeAll, describe, expect, it } from 'vitest'

const { SIGNET_PORT, SIGNET_TEST_COMPOSE = '[]' } = process.env
let system: ComposeSystem

const SERVICES = ['login', 'token', 'introspection', 'keys', 'directory'] as const
const APPS = [...SERVICES, 'migration', 'federation', 'migrate', 'cli'] as const

const execute = promisify(execFile)
const imageOf = (app: string) => `signet/${app}:${process.env.SIGNET_VERSION}`
const write = (path: string) => `fs.writeFileSync(${JSON.stringify(path)}, '')`

/** Lists the paths of files with permission to execute, links to such files too. */
const LIST_PROGRAMS = `
  for (const folder of fs.readdirSync('/')) {
    if (['proc', 'sys', 'dev'].includes(folder) || !fs.statSync('/' + folder).isDirectory()) continue
    for (const name of fs.readdirSync('/' + folder, { recursive: true })) {
      const path = '/' + folder + '/' + name
      const stat = fs.statSync(path, { throwIfNoEntry: false })
      if (stat?.isFile() && (stat.mode & 0o111) !== 0 && !/\\.so(\\.|$)/.test(path)) console.log(path)
    }
  }`

/** Loads every add-on that is not for musl, another C library than that of the images. */
const LOAD_ADD_ONS = `
  const files = fs.readdirSync('/signet', { recursive: true })
  for (const name of files.filter((name) => name.endsWith('.node') && !name.endsWith('.musl.node'))) {
    try {
      process.dlopen({ exports: {} }, '/signet/' + name)
      console.log('loaded')
    } catch (error) {
      console.log(error.message)
    }
  }`

/** Runs a script in a container of the image and returns the lines that it prints. */
async function inImage(app: string, script: string): Promise<readonly string[]> {
  const run = ['run', '--rm', '--network', 'none', '--entrypoint', 'node', imageOf(app), '--eval', script]
  const { stdout } = await execute('docker', run, { maxBuffer: 16 * 1024 * 1024 })
  return stdout.split('\n').filter(Boolean)
}

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

  it.each([...SERVICES, 'migration-api'])(
    '%s runs without root and cannot write to its files [F-44]',
    async (service) => {
      const id = await system.compose('exec', '-T', service, 'node', '--print', 'process.getuid()')
      expect(id).toBe('65532\n')
      for (const path of ['/written', '/signet/written']) {
        const tried = system.compose('exec', '-T', service, 'node', '--eval', write(path))
        await expect(tried).rejects.toMatchObject({ stderr: expect.stringContaining('EROFS') })
      }
    },
  )

  it.each(['edge', 'object-storage'])(
    '%s runs without root and cannot write to its files [F-44]',
    async (service) => {
      const tried = system.compose('exec', '-T', service, 'sh', '-c', 'id -u; touch /written && echo written')
      await expect(tried).rejects.toMatchObject({ stdout: '65532\n' })
    },
  )

  it.each([...APPS])('the image of %s has node and no other program: no shell, npm or apt', async (app) => {
    const programs = await inImage(app, LIST_PROGRAMS)
    expect(programs.filter((path) => !path.startsWith('/signet/'))).toEqual(['/usr/local/bin/node'])
  })

  it.each([...APPS])('the image of %s has the libraries of its native add-ons', async (app) => {
    expect((await inImage(app, LOAD_ADD_ONS)).filter((line) => line !== 'loaded')).toEqual([])
  })

  it.each([...APPS])('the image of %s says its version and commit', async (app) => {
    const { stdout } = await execute('docker', [
      'inspect',
      '--format',
      '{{json .Config.Labels}}',
      imageOf(app),
    ])
    expect(JSON.parse(stdout)).toMatchObject({
      'org.opencontainers.image.title': `signet-${app}`,
      'org.opencontainers.image.version': process.env.SIGNET_VERSION,
      'org.opencontainers.image.revision': process.env.SIGNET_REVISION,
    })
  })

  it('scanners find the Debian packages and certificate authorities of an image', async () => {
    const files = await inImage(
      'cli',
      `
      const names = fs.readdirSync('/var/lib/dpkg/status.d')
      const authorities = fs.readFileSync('/etc/ssl/certs/ca-certificates.crt', 'utf8')
      console.log(names.join('\\n'))
      console.log(authorities.split('BEGIN CERTIFICATE').length > 100)`,
    )
    expect(files).toEqual(expect.arrayContaining(['libc6', 'libstdc++6', 'true']))
  })

  it('each service sees its own secrets alone [F-44]', async () => {
    const list = "console.log(fs.readdirSync('/run/signet').join('\\n'))"
    const files = await system.compose('exec', '-T', 'introspection', 'node', '--eval', list)
    expect(files.split(/\s+/).filter(Boolean)).toEqual([
      'ca.crt',
      'postgres-url',
      'redis-url',
      'tls.crt',
      'tls.key',
    ])
  })

  it('no log has a secret of the first start [F-46]', async () => {
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
