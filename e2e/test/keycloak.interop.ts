import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '@signet/testing/free-port'
import { HttpBrowser } from '@signet/testing/http-browser'
import { shownCode } from '@signet/testing/shown-code'
import { basic } from '@signet/testing/system/client-credentials'
import { signetCommand } from '@signet/testing/system/signet-command'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { ADMIN_TOKEN } from '@signet/testing/system/test-directory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const VERSION = '26.7.3'
const ADMINISTRATOR = { username: 'admin', password: 'keycloak-administrator' }
const STARTS_WITHIN_MS = 600_000

const execute = promisify(execFile)

/** A Keycloak of its own, in development mode with its embedded database. Needs Java and Maven. */
interface Keycloak {
  /** Calls the administration API below a path such as `/realms/old`. Rejects when the response is no 2xx. */
  call(method: string, path: string, body?: unknown): Promise<void>
  /** Stops the server and writes a realm with its users to a folder with `kc.sh export`. */
  exportRealm(realm: string, folder: string, usersPerFile: number): Promise<void>
  remove(): Promise<void>
}

/** Fetches the distribution from the Maven repository, starts it and signs in its administrator. */
async function startKeycloak(): Promise<Keycloak> {
  const folder = await mkdtemp(join(tmpdir(), 'signet-keycloak-'))
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`
  const unpack = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack'
  // Maven writes marker files where it runs.
  await execute('mvn', ['--quiet', unpack, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`], {
    cwd: folder,
  })
  const script = join(folder, `keycloak-${VERSION}`, 'bin', 'kc.sh')
  const port = await freePort()
  const server = spawn('sh', [script, 'start-dev', `--http-port=${port}`, '--http-host=127.0.0.1'], {
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
    async call(method, path, body) {
      if (performance.now() - current.at > 30_000) current = { value: await token(), at: performance.now() }
      const response = await fetch(`${origin}/admin${path}`, {
        method,
        headers: { authorization: `Bearer ${current.value}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
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

// A realm of a real Keycloak, made through its administration API, exported by `kc.sh export` and imported by
// `signet import --from keycloak`. `npm run test:interop` runs it where Java and Maven are installed.

const programs = process.env.SIGNET_TEST_INTEROP?.split(',') ?? []
const canRun = ['java', 'mvn'].every((program) => programs.includes(program))

const REALM = 'old'
const PEOPLE = 1_000
const CALLS_AT_ONCE = 4
const REDIRECT_URI = 'https://web.old.example/callback'
const WEB_SECRET = 'a-secret-of-the-old-web-client'
/** Text whose bytes are the seed without `secretEncoding`. */
const OTP_TEXT = 'DJmQfC73VGFhw7D4QJ8A'
const OTP_BASE32 = 'IRFG2ULGIM3TGVSHIZUHON2EGRIUUOCB'
/** People with a code have two devices; the second has the parameters of the realm's OTP policy. */
const OTP_DEVICES = [
  { digits: 6, period: 30, algorithm: 'HmacSHA1' },
  { digits: 8, period: 60, algorithm: 'HmacSHA256' },
] as const

/**
 * The hashes that the password policy of a realm can ask for, each with the rounds that Keycloak takes by default. Most
 * people get fewer rounds, because a thousand hashes of the last kind take twenty minutes.
 */
const HASHES = [
  { algorithm: 'argon2', rounds: 5, fewer: 2 },
  { algorithm: 'pbkdf2-sha512', rounds: 210_000, fewer: 5_000 },
  { algorithm: 'pbkdf2-sha256', rounds: 600_000, fewer: 27_500 },
  { algorithm: 'pbkdf2', rounds: 1_300_000, fewer: 20_000 },
] as const

interface OldUser {
  readonly username: string
  readonly password: string
  readonly policy: string
  readonly representation: Readonly<Record<string, unknown>>
}

const hasCode = (number: number) => number % 10 === 0

/** Ten of a kind have the default rounds; every tenth person has a code, every third a group. */
const people: readonly OldUser[] = Array.from({ length: PEOPLE }, (_, number) => {
  const { algorithm, rounds, fewer } = HASHES[number % HASHES.length] ?? HASHES[0]
  const username = `person-${number}`
  const password = `Old-password-${number}`
  const codes = OTP_DEVICES.map((parameters) => ({
    type: 'otp',
    userLabel: `device ${parameters.digits}`,
    secretData: JSON.stringify({ value: OTP_TEXT }),
    credentialData: JSON.stringify({ subType: 'totp', counter: 0, ...parameters }),
  }))
  return {
    username,
    password,
    policy: `hashAlgorithm(${algorithm}) and hashIterations(${number < 40 ? rounds : fewer})`,
    representation: {
      username,
      enabled: number % 50 !== 49,
      firstName: 'Given',
      lastName: `Family ${number}`,
      email: `${username}@old.example`,
      emailVerified: true,
      attributes: { locale: ['de'] },
      groups: number % 3 === 0 ? ['/staff/night'] : [],
      credentials: [
        { type: 'password', value: password, temporary: false },
        ...(hasCode(number) ? codes : []),
      ],
    },
  }
})
const isEnabled = ({ representation }: OldUser) => representation.enabled === true

async function fillRealm(keycloak: Keycloak): Promise<void> {
  await keycloak.call('POST', '/realms', {
    realm: REALM,
    enabled: true,
    registrationAllowed: true,
    roles: { realm: [{ name: 'reader' }, { name: 'writer', composites: { realm: ['reader'] } }] },
    groups: [
      { name: 'staff', realmRoles: ['reader'], subGroups: [{ name: 'night', realmRoles: ['writer'] }] },
    ],
    clients: [
      {
        clientId: 'old-web',
        name: 'Old web',
        secret: WEB_SECRET,
        publicClient: false,
        standardFlowEnabled: true,
        serviceAccountsEnabled: true,
        redirectUris: [REDIRECT_URI, 'https://web.old.example/*'],
        webOrigins: ['+'],
      },
      {
        clientId: 'old-spa',
        publicClient: true,
        standardFlowEnabled: true,
        redirectUris: ['https://spa.old.example/'],
      },
    ],
  })
  // The policy of the realm at the moment of the call decides how a password is hashed.
  for (const policy of new Set(people.map((person) => person.policy))) {
    await keycloak.call('PUT', `/realms/${REALM}`, { passwordPolicy: policy })
    const waiting = people.filter((person) => person.policy === policy).values()
    const work = async () => {
      for (const { representation } of waiting) {
        await keycloak.call('POST', `/realms/${REALM}/users`, representation)
      }
    }
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work))
  }
}

describe.runIf(canRun)('a realm of a thousand people', () => {
  let signet: StandaloneSystem
  let folder: string
  let said: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'signet-realm-'))
    const keycloak = await startKeycloak()
    try {
      await fillRealm(keycloak)
      await keycloak.exportRealm(REALM, folder, 300)
    } finally {
      await keycloak.remove()
    }
    signet = await startSystem({ mode: 'standalone' })
    said = await signetCommand(['import', '--from', 'keycloak', folder], {
      issuer: signet.issuer,
      token: ADMIN_TOKEN,
    })
  }, 1_800_000)
  afterAll(async () => {
    await signet?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** `signed in`, or what the page said instead. */
  async function signIn(username: string, password: string, code?: string): Promise<string> {
    const browser = new HttpBrowser(signet.issuer)
    const query = new URLSearchParams({
      client_id: 'old-web',
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: 'openid',
    })
    const form = await browser.open(`/oauth/v2/authorize?${query}`)
    let page = await browser.submit(form, { login_name: `${username}@old.example`, password })
    if (code !== undefined) {
      expect(page.body, username).toContain('id="totp-code"')
      page = await browser.submit(page, { code })
    }
    const location = page.headers.get('location') ?? ''
    return location.startsWith(`${REDIRECT_URI}?code=`)
      ? 'signed in'
      : `${page.status} ${location} ${/role="alert"[^>]*>([^<]*)/.exec(page.body)?.[1]}`
  }

  it('is imported without a failure', () => {
    // An organization, a project, two roles, two applications, the people, and a grant and the name of the group of some.
    const grouped = people.filter(({ representation }) => String(representation.groups) !== '').length
    expect(said).toContain(`${6 + PEOPLE + 2 * grouped} created, 0 updated, 0 skipped, 0 failed`)
  })

  it('lets its people sign in with their old passwords, of each hash, and with the codes of their apps', async () => {
    const failed: string[] = []
    for (const [number, person] of people.entries()) {
      // Every person with the default rounds, and a fifth of the others.
      if (!isEnabled(person) || (number >= 40 && number % 5 !== 0)) continue
      const { digits, period, algorithm } = OTP_DEVICES[number % 20 === 0 ? 0 : 1]
      const device = { digits, period, algorithm: algorithm.replace('Hmac', '') }
      const code = hasCode(number) ? shownCode(OTP_BASE32, device) : undefined
      const result = await signIn(person.username, person.password, code)
      if (result !== 'signed in') failed.push(`${person.username} (${person.policy}): ${result}`)
    }
    expect(failed).toEqual([])
  }, 600_000)

  it('refuses wrong passwords and people that Keycloak disabled', async () => {
    expect(await signIn('person-1', 'Old-password-2')).toMatch(/^400 .*password is not right/)
    expect(await signIn('person-49', 'Old-password-49')).toMatch(/^400 .*password is not right/)
  })

  it('keeps the secret of its client', async () => {
    const form = { grant_type: 'client_credentials', scope: 'openid' }
    expect(await signet.post('/oauth/v2/token', form, basic('old-web', WEB_SECRET))).toMatchObject({
      status: 200,
    })
    const wrong = await signet.post('/oauth/v2/token', form, basic('old-web', `${WEB_SECRET}x`))
    expect(wrong.status).toBe(401)
  })
})

it.skipIf(canRun)('needs java and mvn', ({ skip }) => skip('java or mvn is not installed'))
