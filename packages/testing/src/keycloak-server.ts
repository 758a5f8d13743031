import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

export const KEYCLOAK_VERSION = '26.7.3'
const ADMINISTRATOR = { username: 'admin', password: 'keycloak-administrator' }
const STARTS_WITHIN_MS = 600_000

const execute = promisify(execFile)

/** A running Keycloak. Needs Java and Maven. */
export interface Keycloak {
  readonly origin: string
  /** The script and the programs that it started. */
  readonly processGroup: number
  /** Milliseconds from the start of the server until it answered. */
  readonly startMs: number
  /** Calls the administration API below a path such as `/realms/old`, and returns what it says. A text is sent as it is. Rejects when that is no 2xx. */
  call(method: string, path: string, body?: unknown): Promise<unknown>
  /** Stops the server and writes a realm with its users to a folder with `kc.sh export`. */
  exportRealm(realm: string, folder: string, usersPerFile: number): Promise<void>
  remove(): Promise<void>
}

export interface KeycloakOptions {
  readonly features?: readonly string[]
  /** Options of `kc.sh start` for production, on a PostgreSQL. Absent: development mode with the embedded database. */
  readonly production?: readonly string[]
}

/** Fetches the distribution from the Maven repository, starts it and signs in its administrator. */
export async function startKeycloak({ features = [], production }: KeycloakOptions = {}): Promise<Keycloak> {
  const folder = await mkdtemp(join(tmpdir(), 'signet-keycloak-'))
  const artifact = `org.keycloak:keycloak-quarkus-dist:${KEYCLOAK_VERSION}:zip`
  const unpack = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack'
  // Maven writes marker files where it runs.
  await execute('mvn', ['--quiet', unpack, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], {
    cwd: folder,
  })
  const script = join(folder, `keycloak-${KEYCLOAK_VERSION}`, 'bin', 'kc.sh')
  const port = await freePort()
  const options = [`--http-port=${port}`, '--http-host=127.0.0.1', ...(production ?? [])]
  if (features.length > 0) options.push(`--features=${features.join()}`)
  if (production) await execute('sh', [script, 'build', '--db=postgres'])
  const command = production ? ['start', '--optimized'] : ['start-dev']
  const startedAt = performance.now()
  const server = spawn('sh', [script, ...command, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The script and the program that it starts.
    detached: true,
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMINISTRATOR.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMINISTRATOR.password,
    },
  })
  let output = ''
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = once(server, 'close')
  async function stop(): Promise<void> {
    if (server.exitCode === null && server.pid !== undefined) process.kill(-server.pid, 'SIGTERM')
    await ended
  }
  const origin = `http://127.0.0.1:${port}`
  const answers = async () => (await fetch(`${origin}/realms/master`).catch(() => undefined))?.ok
  for (const from = performance.now(); !(await answers()); await pause(250)) {
    if (server.exitCode === null && performance.now() - from < STARTS_WITHIN_MS) continue
    await stop()
    throw new Error(`Keycloak did not start:\n${output}`)
  }
  const startMs = performance.now() - startedAt

  // Its tokens last a minute.
  async function token(): Promise<string> {
    const response = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMINISTRATOR }),
    })
    return ((await response.json()) as { access_token: string }).access_token
  }
  let current = { value: '', at: Number.NEGATIVE_INFINITY }

  return {
    ...{ origin, processGroup: server.pid ?? 0, startMs },
    async call(method, path, body) {
      if (performance.now() - current.at > 30_000) current = { value: await token(), at: performance.now() }
      const response = await fetch(`${origin}/admin${path}`, {
        method,
        headers: {
          authorization: `Bearer ${current.value}`,
          'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text === '' ? undefined : JSON.parse(text)
    },
    async exportRealm(realm, into, usersPerFile) {
      await stop()
      const users = ['--users', 'different_files', '--users-per-file', `${usersPerFile}`]
      await execute('sh', [script, 'export', '--dir', into, '--realm', realm, ...users])
    },
    async remove() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
