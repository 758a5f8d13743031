// Clients in other languages as a second opinion beside openid-client: golang.org/x/oauth2 and Authlib. `npm run test:interop` runs
// them and names the programs that are missing.

import { execFile, spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createCertificateAuthority } from '@signet/testing/client-certificates'
import type { InProcessSystem } from '@signet/testing/system/in-process-system'
import { MACHINE_KEY, oauthDirectory } from '@signet/testing/system/oauth-directory'
import { createOAuthEnvironment, type OAuthEnvironment } from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, expect, it } from 'vitest'

const programs = process.env.SIGNET_TEST_INTEROP?.split(',') ?? []
const run = promisify(execFile)
const source = (name: string) => fileURLToPath(new URL(`independent-clients/${name}`, import.meta.url))
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
const MINUTES = 60_000
const PASSWORD = 'Correct-horse-9'

const opened = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'signet-clients-'))
let system: InProcessSystem
let oauth: OAuthEnvironment
let own: { readonly cert: string; readonly key: string }
let authority: string

beforeAll(async () => {
  opened.defer(async () => rmSync(folder, { recursive: true, force: true }))
  const [servers, clients] = await Promise.all([
    createCertificateAuthority('CN=Servers'),
    createCertificateAuthority('CN=Clients'),
  ])
  const names = [{ type: 'dns', value: 'localhost' }] as const
  authority = servers.cert
  own = await clients.issue({ names: [{ type: 'dns', value: 'client.acme.localhost' }] })
  const document = oauthDirectory()
  const alice = document.organizations?.flatMap(({ users = [] }) => users).find(({ id }) => id === 'alice')
  Object.assign(alice ?? {}, { password: PASSWORD })
  const applications = document.organizations?.flatMap(({ projects = [] }) =>
    projects.flatMap((project) => project.applications ?? []),
  )
  const grants = { 'backend-public': ['refresh_token', DEVICE_CODE], certified: ['client_credentials'] }
  for (const [id, grantTypes] of Object.entries(grants))
    Object.assign(applications?.find((application) => application.id === id) ?? {}, { grantTypes })
  system = await startSystem({
    mode: 'in-process',
    document,
    mutualTls: {
      server: await servers.issue({ subject: 'CN=localhost', names: [...names] }),
      authorities: [clients.certificate],
    },
  })
  oauth = createOAuthEnvironment(system)
  opened.defer(() => system.stop())
}, MINUTES)
afterAll(() => opened.disposeAsync())

const endpoint = async (name: string, alias = false): Promise<string> => {
  const { json } = await system.fetch('/.well-known/openid-configuration')
  const { mtls_endpoint_aliases: aliases } = json as { mtls_endpoint_aliases?: Record<string, string> }
  return String((alias ? aliases : json)?.[name])
}

const isActive = async (token: unknown) => (await oauth.introspect(token)).json.active === true

async function goProgram(): Promise<string> {
  copyFileSync(source('main.go'), join(folder, 'main.go'))
  const go = (...args: string[]) => run('go', args, { cwd: folder })
  await go('mod', 'init', 'client')
  await go('get', 'golang.org/x/oauth2@v0.38.0')
  await go('build', '-o', 'client', '.')
  return join(folder, 'client')
}

it('golang.org/x/oauth2 gets tokens for a device and with a certificate', { timeout: 5 * MINUTES }, async ({
  skip,
}) => {
  skip(!programs.includes('go'), 'go is not installed')
  const program = await goProgram()
  const device = spawn(program, ['device'], {
    env: {
      CLIENT_ID: 'backend-public',
      DEVICE_URL: await endpoint('device_authorization_endpoint'),
      TOKEN_URL: await endpoint('token_endpoint'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: device.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? '{}')
  const { code } = await next()
  expect(code).toMatch(/-/)
  const browser = system.newBrowser()
  const signIn = await browser.submit(await browser.open('/ui/device'), { user_code: code })
  const consent = await browser.submit(signIn, { login_name: 'alice', password: PASSWORD })
  expect((await browser.submit(consent, { decision: 'allow' })).body).toContain('The device has access')
  const tokens = await next()
  expect(tokens).toMatchObject({ type: 'Bearer', refresh: true })
  expect(await isActive(tokens.token)).toBe(true)

  const { stdout } = await run(program, ['certificate'], {
    env: {
      CLIENT_ID: 'certified',
      TOKEN_URL: await endpoint('token_endpoint', true),
      ...{ CERTIFICATE: own.cert, KEY: own.key, AUTHORITY: authority },
    },
  })
  expect(await isActive(JSON.parse(stdout).token)).toBe(true)
})

it('Authlib authenticates with private_key_jwt', { timeout: 5 * MINUTES }, async ({ skip }) => {
  skip(!programs.includes('python3'), 'python3 is not installed')
  const python = join(folder, 'venv', 'bin', 'python')
  await run('python3', ['-m', 'venv', join(folder, 'venv')])
  await run(python, ['-m', 'pip', 'install', '--quiet', 'authlib==1.9.10', 'requests'])
  const { stdout } = await run(python, [source('assertion.py')], {
    env: {
      CLIENT_ID: 'backend-keyed',
      KEY: MACHINE_KEY.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      TOKEN_URL: await endpoint('token_endpoint'),
      AUDIENCE: system.issuer,
    },
  })
  expect(await isActive(JSON.parse(stdout).access_token)).toBe(true)
})
