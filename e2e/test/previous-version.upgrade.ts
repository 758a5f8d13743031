import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { FROM_SOURCES, type Program } from '@signet/dev-stack/processes/child'
import { SERVICE_NAMES, type ServiceName } from '@signet/platform/process/service'
import type { ProcessSystem } from '@signet/testing/system/process-system'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN } from '@signet/testing/system/test-directory'
import { type Answer, tokensOf } from '@signet/testing/system/test-system'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCHEMA_LINES } from './schema-lines.ts'

const execute = promisify(execFile)

/** The version before this one, checked out beside it. */
interface PreviousVersion {
  readonly revision: string
  /** Runs its apps from their sources. */
  readonly program: Program
  /** Migrations of the directory service of that version. */
  readonly migrations: readonly string[]
  remove(): Promise<void>
}

/** Checks a commit or tag out and installs what it needs. Rejects when the repository does not have it. */
async function checkOutPreviousVersion(root: string, revision: string | undefined): Promise<PreviousVersion> {
  if (revision === undefined)
    throw new Error('SIGNET_TEST_PREVIOUS names no version; run npm run test:upgrade')
  const folder = await temporaryFolder('previous')
  await git(root, 'worktree', 'add', '--detach', folder, revision)
  const remove = async () => void (await git(root, 'worktree', 'remove', '--force', folder))
  try {
    await install(folder)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    revision: await git(folder, 'rev-parse', '--short', 'HEAD'),
    migrations: migrationsOf(folder),
    program: (app) =>
      existsSync(`${folder}/apps/${app}`)
        ? [
            '--conditions=source',
            `--import=${withoutUnknownSettings(root, folder)}`,
            `${folder}/apps/${app}/src/main.ts`,
          ]
        : STAND_IN,
    remove,
  }
}

/** Runs in the place of a service that the version does not have: it is ready and answers nothing. */
const STAND_IN = [
  '--eval',
  `require('node:http').createServer((_, res) => res.end()).listen(process.env.SIGNET_OPERATIONS_PORT, '127.0.0.1')
   process.on('disconnect', () => process.exit())`,
]

const migrationsOf = (folder: string) =>
  readdirSync(`${folder}/apps/directory/migrations`)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()

/** Names of the numbered files, except those of views and of the audit log. */
async function appliedMigrations(): Promise<readonly string[]> {
  const text = `SELECT name FROM directory.schema_migration WHERE name NOT LIKE '%/%' ORDER BY name`
  const { rows } = await system.database.query<{ name: string }>({ name: '', text })
  return rows.map(({ name }) => name)
}

/** A module that takes away the settings that came after the version: it refuses to start with a name it does not know. */
function withoutUnknownSettings(root: string, folder: string): string {
  const known = settingNames(folder)
  const names = settingNames(root).filter((name) => !known.includes(name))
  const script = `for (const name of ${JSON.stringify(names)}) delete process.env[name]`
  return `data:text/javascript,${encodeURIComponent(script)}`
}

function settingNames(folder: string): readonly string[] {
  const path = ['platform/src/config', 'service-runtime/src']
    .map((parent) => `${folder}/packages/${parent}/known-settings.ts`)
    .find((file) => existsSync(file))
  const text = readFileSync(String(path), 'utf8')
  return [...text.matchAll(/\bSIGNET_\w+(?=:)/g)].map(([name]) => name)
}

async function install(folder: string): Promise<void> {
  const args = ['install', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts']
  await execute('pnpm', args, { cwd: folder })
  await execute('pnpm', ['--filter', '@signet/grpc', '--filter', '@signet/cli', 'generate'], { cwd: folder })
}

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute('git', [...args], { cwd })
  return stdout.trim()
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** The schema of a new installation. */
const newInstallation = readFileSync(`${ROOT}e2e/test/public-surface/database.txt`, 'utf8')
  .trimEnd()
  .split('\n')

let previous: PreviousVersion
let system: ProcessSystem
/** Apps that run the sources of this checkout from their next start on: `cli` makes certificates of new services too. */
const upgraded = new Set(['cli'])

beforeAll(async () => {
  previous = await checkOutPreviousVersion(ROOT, process.env.SIGNET_TEST_PREVIOUS)
  system = await startSystem({
    mode: 'processes',
    services: 2,
    program: (app) => (upgraded.has(app) ? FROM_SOURCES(app) : previous.program(app)),
    // As in the chart: time for the gateway to see that a replica takes no more requests.
    env: { SIGNET_DRAIN_DELAY_SECONDS: '2' },
  })
}, 600_000)

afterAll(async () => {
  await system?.stop()
  await previous?.remove()
}, 300_000)

/** The operations of a user, an application and an administrator; throws when one of them fails. */
async function everything(): Promise<true> {
  await signInAndOut()
  await moveAnOrganization()
  return true
}

/** Throws an error that names the step and has the body when the status is another one. */
function succeeded<A extends Pick<Answer, 'status' | 'text'>>(step: string, answer: A, status = 200): A {
  if (answer.status !== status) throw new Error(`${step}: ${answer.status} ${answer.text}`)
  return answer
}

async function requireActive(step: string, token: string, active: boolean): Promise<void> {
  const answer = succeeded(step, await system.introspect(token))
  if (answer.json.active !== active) throw new Error(`${step}: ${answer.text}`)
}

async function signInAndOut(): Promise<void> {
  const { access_token, refresh_token } = await system.tokens()
  await requireActive('introspect the new token', access_token, true)
  const refreshed = tokensOf(succeeded('refresh', await system.refresh('web', refresh_token)))
  succeeded('revoke', await system.revoke('web', refreshed.refresh_token))
  await requireActive('introspect the revoked token', refreshed.access_token, false)
}

/** Makes an organization with a person, exports it, and imports it under other ids. */
async function moveAnOrganization(): Promise<void> {
  const name = `made-${crypto.randomUUID()}`
  const made = succeeded(
    'create the organization',
    await system.manage('POST', '/organizations', { name, primaryDomain: `${name}.localhost` }),
    201,
  )
  const person = {
    organizationId: made.json.id,
    userName: 'moved',
    profile: { givenName: 'M', familyName: 'V' },
  }
  const user = succeeded('create the person', await system.manage('POST', '/users', person), 201)
  const exported = succeeded(
    'export',
    await administer('/export', { orgIds: [made.json.id], withPasswords: true }),
  )
  const copy = [name, made.json.id, user.json.id].reduce<string>(
    (text, id) => text.replaceAll(String(id), `${id}-copy`),
    exported.text,
  )
  const document = { dataOrgsv1: JSON.parse(copy), ignoreChecksum: true }
  const imported = succeeded('import', await administer('/import', document))
  expect(imported.json, imported.text).toMatchObject({
    success: { orgs: [{ humanUserIds: [`${user.json.id}-copy`] }] },
  })
}

async function administer(path: string, body: object) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  return system.fetch(`/admin/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function answers(path: string): Promise<void> {
  succeeded(path, await system.fetch(path))
}

/**
 * Replaces one replica after the other, as a Deployment rolls: the next one is stopped when the one before is ready.
 */
async function roll(service: ServiceName): Promise<void> {
  for (const replica of system.processes.replicas(service)) {
    await replica.end('SIGTERM')
    await replica.start()
    await system.processes.untilReady()
  }
}

interface Load {
  /** Ends it, and returns how often each operation succeeded and what failed. */
  stop(): Promise<{ readonly done: Readonly<Record<string, number>>; readonly failed: readonly string[] }>
}

/** Repeats each operation, the next time when it has ended and `everyMs` have passed. */
function startLoad(
  operations: readonly (readonly [name: string, everyMs: number, run: () => Promise<unknown>])[],
): Load {
  const stopped = new AbortController()
  const done: Record<string, number> = {}
  const failed: string[] = []
  const loops = operations.map(async ([name, everyMs, run]) => {
    while (!stopped.signal.aborted) {
      const at = new Date().toISOString()
      await run().then(
        () => {
          done[name] = (done[name] ?? 0) + 1
        },
        (error: unknown) => void failed.push(`${at} ${name}: ${error}`),
      )
      await pause(everyMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  })
  return {
    async stop() {
      stopped.abort()
      await Promise.all(loops)
      return { done, failed }
    },
  }
}

describe('an upgrade from the version before, as docs/upgrades.md describes it', () => {
  it('fails no request while the schema and then each replica changes', async () => {
    const { access_token } = await system.tokens()
    let refreshToken = (await system.tokens()).refresh_token
    const load = startLoad([
      ['introspection', 100, () => requireActive('introspect', access_token, true)],
      ['key set', 200, () => answers('/oauth/v2/keys')],
      ['discovery', 500, () => answers('/.well-known/openid-configuration')],
      [
        'refresh',
        500,
        async () => {
          refreshToken = tokensOf(
            succeeded('refresh', await system.refresh('web', refreshToken)),
          ).refresh_token
        },
      ],
      [
        'management',
        500,
        async () => succeeded('list organizations', await system.manage('GET', '/organizations')),
      ],
      ['sign-in and revocation', 1_500, signInAndOut],
      ['export and import', 5_000, moveAnOrganization],
    ])
    expect(await appliedMigrations()).toEqual(previous.migrations)
    upgraded.add('migrate')
    await system.processes.migrate()
    expect(await appliedMigrations()).toEqual(expect.arrayContaining([...migrationsOf(ROOT)]))
    const { rows } = await system.database.query<{ line: string }>({ name: '', text: SCHEMA_LINES })
    expect(rows.map(({ line }) => line)).toEqual(newInstallation)
    for (const service of SERVICE_NAMES) {
      upgraded.add(service)
      await roll(service)
    }
    const { done, failed } = await load.stop()
    process.stdout.write(`from ${previous.revision}: ${JSON.stringify(done)}, ${failed.length} failed\n`)
    expect(failed).toEqual([])
    expect(Object.keys(done)).toHaveLength(7)
  }, 900_000)

  it('can be taken back one service at a time, on the new schema', async () => {
    for (const service of SERVICE_NAMES) {
      upgraded.delete(service)
      await roll(service)
      await expect.poll(() => everything().catch((error: unknown) => error), { timeout: 60_000 }).toBe(true)
    }
  }, 900_000)
})
