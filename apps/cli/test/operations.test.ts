import { execFile } from 'node:child_process'
import { mkdtemp, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { childEnvironment } from '@signet/testing/child-environment'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loginFile } from '../src/access/stored-login.ts'
import { ManagementApiError } from '../src/api/errors.ts'
import { OPERATIONS } from '../src/api/gen/operations.ts'
import { bodyOf, createSuite } from '../src/api/suite.ts'
import { REPLACING } from '../src/operations/replaced-settings.ts'
import { type CommandFixture, startCommandFixture, typed } from './command-fixture.ts'

const PACK = fileURLToPath(new URL('../scripts/pack.mjs', import.meta.url))
const PRELOADED = fileURLToPath(new URL('without-newer-functions.cjs', import.meta.url))
const AS_NODE_16 = fileURLToPath(new URL('as-node-16.cjs', import.meta.url))
const { SIGNET_TEST_NODE_18 } = process.env
/** `npm run test:full` installs the oldest one that is supported. */
const NODES: readonly (readonly [name: string, node: string, ...options: string[]])[] = [
  ['this Node.js without what 18 lacks', process.execPath, '--require', PRELOADED],
  ...(SIGNET_TEST_NODE_18 ? [['Node.js 18', SIGNET_TEST_NODE_18] as const] : []),
]

let fixture: CommandFixture
beforeAll(async () => {
  fixture = await startCommandFixture()
})
afterAll(() => fixture.close())

const json = async (...args: string[]) => {
  const { code, out, err } = await fixture.signet(...args, '--output', 'json')
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as Record<string, unknown>
}

describe('the commands of operations', () => {
  it('every operation of openapi.json is a command, with options of different names and help', async () => {
    expect(Object.keys(OPERATIONS).length).toBeGreaterThan(30)
    for (const id of Object.keys(OPERATIONS)) {
      // `signet audit verify` reads the one, `signet audit export` prints the other as it is.
      if (id === 'audit.chain' || id === 'audit.export') continue
      // `signet identity-provider test` calls both, and prints the result.
      if (id === 'identity_provider.take_test') continue
      // `signet user impersonate`
      if (id === 'impersonation.create') continue
      // `signet whoami`
      if (id === 'me.read') continue
      const words = id.replaceAll('_', '-').split('.')
      const { code, out } = await fixture.signet(...words, '--help')
      expect([code, out]).toEqual([0, expect.stringContaining(`signet ${words.join(' ')}`)])
      const options = out.match(/^ +--[a-z-]+/gm) ?? []
      expect(options).toContain('  --output')
      expect(new Set(options).size).toBe(options.length)
    }
  })

  it('create, list, read, update and delete, by fields and by file, with every output', async () => {
    const set = ['--set', 'id=acme', '--set', 'name=ACME', '--set', 'primaryDomain=acme.example']
    expect(await json('organization', 'create', ...set)).toMatchObject({ id: 'acme', name: 'ACME' })
    const file = join(fixture.folder, 'erin.yaml')
    await writeFile(
      file,
      'organizationId: acme\nuserName: erin\nprofile: { givenName: Erin, familyName: E }\n',
    )
    const more = [
      '--set',
      'id=erin',
      '--set',
      'email.address=erin@acme.example',
      '--set',
      'email.verified=true',
    ]
    expect(await json('user', 'create', '--file', file, ...more)).toMatchObject({
      id: 'erin',
      profile: { givenName: 'Erin' },
      email: { address: 'erin@acme.example', verified: true },
    })
    const table = await fixture.signet('user', 'list', '--organization-id', 'acme')
    expect(table.out).toMatch(/^USER NAME +ID +KIND .*\nerin +erin +human /)
    await fixture.signet('user', 'update', 'erin', '--set', 'profile.nickName=E', '--set', 'email=null')
    const yaml = await fixture.signet('user', 'read', 'erin', '--output', 'yaml')
    expect(parse(yaml.out)).toMatchObject({ id: 'erin', profile: { nickName: 'E', givenName: 'Erin' } })
    expect(parse(yaml.out)).not.toHaveProperty('email')
    expect((await fixture.signet('user', 'read', 'erin')).out).toMatch(/^profile\.nickName +E$/m)
    expect(await fixture.signet('user', 'delete', 'erin', '--yes')).toEqual({ code: 0, out: '', err: '' })
    expect((await fixture.signet('user', 'read', 'erin')).code).toBe(5)
  })

  it('a command that sets something as a whole names what it takes back, and asks', async () => {
    const policy = ['login-policy', 'set', 'home']
    expect((await fixture.signet('login-policy', 'update', 'home', '--set', 'forceMfa=true')).code).toBe(0)
    const disable = [...policy, '--set', 'disableLoginWithEmail=true']
    expect(await fixture.signet(...disable)).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /takes back allowRegister true -> false, forceMfa true -> false; signet login-policy update changes single members\. Add --yes to do it\.$/m,
      ),
    })
    const asked: string[] = []
    const confirm = async (question: string) => asked.push(question) > 1
    expect((await fixture.signetWith({ confirm }, ...disable)).code).toBe(13)
    expect((await json('login-policy', 'read', 'home')).effective).toMatchObject({
      forceMfa: { value: true },
    })
    expect((await fixture.signetWith({ confirm }, ...disable)).code).toBe(0)
    expect(asked).toHaveLength(2)
    expect((await json('login-policy', 'read', 'home')).effective).toMatchObject({
      forceMfa: { value: false },
    })
    // Nothing is taken back.
    expect((await fixture.signet(...disable, '--set', 'forceMfa=true')).code).toBe(0)
    expect((await fixture.signet(...policy, '--set', 'forceMfa=true', '--yes')).code).toBe(0)
    expect((await fixture.signet('login-policy', 'reset', 'home')).code).toBe(0)
  })

  it('every operation that sets something as a whole asks', () => {
    const whole = Object.values(OPERATIONS)
      .filter(({ method, description = '' }) => method === 'PUT' && description.startsWith('As a whole'))
      .map(({ id }) => id)
    expect(Object.keys(REPLACING).sort()).toEqual(whole.sort())
  })

  it('a list that is answered in parts is shown in parts, or whole with --all', async () => {
    for (const name of ['a', 'b', 'c']) {
      const set = [
        '--set',
        `id=part-${name}`,
        '--set',
        'organizationId=home',
        '--set',
        `userName=part-${name}`,
      ]
      await json('service-user', 'create', ...set)
    }
    const part = await fixture.signet(
      'user',
      'list',
      '--limit',
      '2',
      '--organization-id',
      'home',
      '--output',
      'json',
    )
    const { items, nextCursor } = JSON.parse(part.out)
    expect(items).toHaveLength(2)
    expect(part.err).toBe(`there are more: --all, or --cursor ${nextCursor}\n`)
    expect(
      (await json('user', 'list', '--limit', '2', '--all', '--organization-id', 'home')).items,
    ).toHaveLength(4)
  })

  it('concurrent changes: --show-etag and --if-match', async () => {
    const shown = await fixture.signet('organization', 'read', 'home', '--show-etag')
    const etag = /^etag: (.+)\n$/.exec(shown.err)?.[1] ?? ''
    const rename = (name: string) =>
      fixture.signet('organization', 'update', 'home', '--if-match', etag, '--set', `name=${name}`)
    expect((await rename('First')).code).toBe(0)
    expect(await rename('Second')).toMatchObject({ code: 6, err: expect.stringContaining('(412)') })
  })

  it.each([
    [['organization', 'create', '--set', 'name=X'], 7, /primaryDomain.* \(400\)/],
    [
      ['application', 'rotate-secret', 'shopweb'],
      5,
      /^there is no application with this id \(404\); signet application list shows them$/m,
    ],
    [['domain', 'read', 'home', 'nowhere.example'], 5, /^the organization has no such domain \(404\)$/m],
    [['user', 'list', '--limit', '0'], 7, /limit.* \(400\)/],
    [['organization', 'create'], 2, /required are name, primaryDomain/],
    [
      ['user', 'create', '--set', 'profile.shoeSize=4'],
      2,
      /--set profile\.shoeSize: is not a field; there are given/,
    ],
    [['user', 'create', '--file', '/nowhere'], 2, /--file: \/nowhere cannot be read \(ENOENT\)/],
    [['user', 'read'], 2, /signet user read takes userId/],
    [['user', 'list', '--output', 'xml'], 2, /--output: must be table, json, yaml/],
    [['certs', 'init', '--out', 'x', '--days', '0'], 2, /--days: must be a whole number from 1 to 9999/],
    [['certs', 'init', '--nope'], 2, /Unknown option '--nope'/],
    [['keys', 'list', 'RS256'], 2, /Unexpected argument/],
    [['keys', 'rotate', '--ring', '--algorithm'], 2, /--ring .* is missing/],
    [['keys', 'revoke'], 2, /name one key; signet keys list shows them/],
    [['keys', 'revoke', 'k'], 2, /^Revokes the key k and everything made with it\. Add --yes to do it\.$/m],
    [['cert', 'init'], 2, /"cert init" is not a command; did you mean signet certs init\?/],
    [['org', 'create'], 2, /"org create" is not a command; did you mean signet organization create\?/],
    [['organizations', 'ls', '--all'], 2, /"organizations ls" .* did you mean signet organization list\?/],
    [['user', 'get', 'erin'], 2, /"user get" is not a command; did you mean signet user read\?/],
    [['logn'], 2, /"logn" is not a command; did you mean signet login\?/],
    [['user'], 2, /^signet user takes one of list, create, read, /],
    [['user', 'destroy', 'x'], 2, /"user destroy" is not a command; see signet user --help/],
    [['nothing', 'like'], 2, /"nothing like" is not a command; see signet --help/],
    [['login', '--tokn-file', 'x'], 2, /Unknown option '--tokn-file' \(Did you mean --token-file\?\)/],
  ])('%j ends with %i and one line that names field and rule', async (args, code, line) => {
    const outcome = await fixture.signet(...args)
    expect(outcome).toMatchObject({ code, out: '', err: expect.stringMatching(line) })
    expect(outcome.err.trim().split('\n')).toHaveLength(1)
  })

  it('names a missing role, and has exit codes for an unknown token and for no response', async () => {
    await json(
      'service-user',
      'create',
      '--set',
      'id=guest',
      '--set',
      'organizationId=home',
      '--set',
      'userName=guest',
    )
    const { token } = await json('token', 'create', 'guest')
    const as = (SIGNET_TOKEN: string, SIGNET_ISSUER = fixture.system.issuer) =>
      fixture.signetWith({ env: { SIGNET_ISSUER, SIGNET_TOKEN } }, 'organization', 'read', 'home')
    expect(await as(`${fixture.token}\nsecond line`)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^SIGNET_TOKEN: must be one word/),
    })
    expect(await as(String(token))).toMatchObject({ code: 4, err: expect.stringContaining('IAM_OWNER') })
    expect(await as('nobody')).toMatchObject({ code: 3, err: expect.stringContaining('(401)') })
    expect(await as('nobody', 'http://localhost:1')).toMatchObject({ code: 8 })
  })
})

describe('signet administrator create', () => {
  const names = ['--organization', 'home', '--user-name', 'for-the-migration']
  const organizationsAs = (token: unknown) =>
    fixture.signetWith(
      { env: { SIGNET_ISSUER: fixture.system.issuer, SIGNET_TOKEN: String(token) } },
      ...['organization', 'create', '--set', 'name=T', '--set', 'primaryDomain=t.example'],
    )

  it('makes an administrator whose token expires, or is revoked with signet user delete', async () => {
    const { userId, token, expiresAt } = await json(
      'administrator',
      'create',
      ...names,
      '--expires-in',
      '30m',
    )
    expect(Date.parse(String(expiresAt)) - Date.now()).toBeLessThanOrEqual(1_800_000)
    expect((await organizationsAs(token)).code).toBe(0)
    expect((await fixture.signet('user', 'delete', String(userId), '--yes')).code).toBe(0)
    expect((await organizationsAs(token)).code).toBe(3)
  })

  it('leaves no user behind when a step fails', async () => {
    const refusing: typeof fetch = async (url, init) =>
      String(url).endsWith('/tokens') ? new Response('{}', { status: 400 }) : fetch(url, init)
    const args = ['administrator', 'create', ...names]
    expect((await fixture.signetWith({ fetch: refusing }, ...args)).code).toBe(7)
    expect((await json('user', 'list', '--user-name', 'for-the-migration')).items).toEqual([])
    expect((await fixture.signet(...args, '--expires-in', 'soon')).code).toBe(2)
  })
})

describe('the client', () => {
  const clientOver = (fetching: typeof fetch) =>
    createSuite({
      issuer: fixture.system.issuer,
      token: async () => fixture.token,
      fetch: fetching,
      pause: async () => undefined,
      randomId: () => 'one-request',
    }).management

  it('repeats a creation whose response is lost, and makes one object', async () => {
    let calls = 0
    const losing: typeof fetch = async (...args) => {
      const answer = await fetch(...args)
      calls += 1
      if (calls > 1) return answer
      throw new TypeError('the connection was lost')
    }
    const body = { organizationId: 'home', userName: 'once' }
    const created = await clientOver(losing).POST('/management/v1/service-users', { body })
    expect(calls).toBe(2)
    const query = { organizationId: 'home', userName: 'once' }
    const found = bodyOf(await clientOver(fetch).GET('/management/v1/users', { params: { query } }))
    expect(found.items.map(({ id }) => id)).toEqual([bodyOf(created).id])
  })

  it('a refusal is a ManagementApiError with status, code, details and the id of the request', async () => {
    const calling = clientOver(fetch).GET('/management/v1/users/{userId}', {
      params: { path: { userId: 'no-such-user' } },
    })
    await expect(calling).rejects.toBeInstanceOf(ManagementApiError)
    await expect(calling).rejects.toMatchObject({
      status: 404,
      code: 5,
      details: [{ id: expect.any(String) }],
      requestId: expect.any(String),
    })
  })
})

describe('signet apply', () => {
  const SECRETS = Object.fromEntries(
    [
      'ALICE_PASSWORD',
      'BOB_PASSWORD',
      'ADMINISTRATOR_TOKEN',
      'WEB_SECRET',
      'PASSPORT_SECRET',
      'AUTHJS_SECRET',
      'API_SECRET',
    ].map((name) => [`SAMPLE_${name}`, `Correct-horse-battery-staple-${name}`]),
  )
  const SAMPLE = fileURLToPath(new URL('../../../packages/dev-stack/sample-bootstrap.yaml', import.meta.url))
  const env = () => ({ SIGNET_ISSUER: fixture.system.issuer, SIGNET_TOKEN: fixture.token, ...SECRETS })
  const apply = (...args: string[]) => fixture.signetWith({ env: env() }, 'apply', ...args)
  const applyText = (text: string, ...args: string[]) =>
    fixture.signetWith({ env: env(), standardInput: typed(text) }, 'apply', '-f', '-', ...args)

  it('shows the changes without applying them, applies them, and has none the second time', async () => {
    const dryRun = await apply('-f', SAMPLE, '--dry-run')
    expect(dryRun).toMatchObject({ code: 11, err: `the instance differs from ${SAMPLE}\n` })
    expect((await fixture.signet('user', 'read', 'bob')).code).toBe(5)
    const applied = await apply('--file', SAMPLE)
    expect(applied).toMatchObject({ code: 0, err: '' })
    const lines = applied.out.split('\n')
    expect(dryRun.out.split('\n').slice(0, -2)).toEqual(lines.slice(0, -2))
    expect(lines).toContain('+ user bob (organizations[0].users[1])')
    expect(lines).toContain('    email: {"address":"bob@acme.localhost","verified":true}')
    expect(lines).toContain('    password: (secret)')
    expect(lines.at(-2)).toMatch(/^\d+ created, \d updated, \d unchanged$/)
    expect(dryRun.out).toContain(`nothing was written; it would be: ${lines.at(-2)}`)
    for (const secret of Object.values(SECRETS)) expect(dryRun.out + applied.out).not.toContain(secret)
    expect(await json('user', 'read', 'bob')).toMatchObject({ userName: 'bob' })

    expect(await apply('-f', SAMPLE)).toEqual({ code: 0, out: 'nothing to change\n', err: '' })
    expect(await apply('-f', SAMPLE, '--dry-run')).toEqual({ code: 0, out: 'nothing to change\n', err: '' })
    const asJson = await apply('-f', SAMPLE, '--output', 'json')
    expect(JSON.parse(asJson.out)).toMatchObject({ dryRun: false, changes: [], unchanged: 17 })
  })

  it('reads standard input in both spellings, shows old and new values, and names objects that stay deleted', async () => {
    const file = (name: string, auth_method: string) =>
      JSON.stringify({
        organizations: [
          {
            id: 'applied',
            name,
            primary_domain: 'applied.localhost',
            projects: [
              {
                id: 'p',
                name: 'P',
                applications: [{ id: 'applied-spa', name: 'S', type: 'userAgent', auth_method }],
              },
            ],
          },
        ],
      })
    expect((await applyText(file('First', 'none'))).code).toBe(0)
    expect((await applyText(file('Second', 'none'), '--dry-run')).out).toBe(
      '~ organization applied (organizations[0])\n    name: "First" -> "Second"\n' +
        'nothing was written; it would be: 0 created, 1 updated, 3 unchanged\n',
    )
    expect((await fixture.signet('application', 'delete', 'applied-spa', '--yes')).code).toBe(0)
    expect((await applyText(file('First', 'none'))).out).toBe(
      '! application applied-spa (organizations[0].projects[0].applications[0]): was deleted, and stays so until the file changes it\n' +
        'nothing to change\n',
    )
  })

  it('revokes the tokens of a replaced secret before the command ends', async () => {
    const file = (variable: string) =>
      `organizations: [{ id: home, name: Home, primaryDomain: home.localhost,
         serviceUsers: [{ id: nightly, userName: nightly, clientSecret: "\${${variable}}" }] }]`
    expect((await applyText(file('SAMPLE_WEB_SECRET'))).code).toBe(0)
    const response = await fetch(`${fixture.system.issuer}/oauth/v2/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`nightly:${SECRETS.SAMPLE_WEB_SECRET}`).toString('base64')}`,
      },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope: 'urn:service:iam:org:project:id:signet:aud',
      }),
    })
    const { access_token: SIGNET_TOKEN } = (await response.json()) as { access_token: string }
    const asNightly = () =>
      fixture.signetWith({ env: { ...env(), SIGNET_TOKEN } }, 'organization', 'read', 'home')
    expect(await asNightly()).toMatchObject({ code: 4 })
    expect(await applyText(file('SAMPLE_API_SECRET'))).toMatchObject({
      code: 0,
      out: expect.stringContaining('    clientSecret: (secret)\n'),
    })
    expect(await asNightly()).toMatchObject({ code: 3 })
  })

  it.each([
    [['-f', '/nowhere'], '', 2, ['/nowhere cannot be read (ENOENT)']],
    [[], '', 2, ['give -f FILE, a bootstrap file']],
    [['-f', '-', '--output', 'xml'], '{}', 2, ['--output: must be table, json, yaml']],
    [['-f', '-'], '- 1', 7, ['-: must hold an object']],
    [['-f', '-'], 'a: [', 7, [expect.stringMatching(/^-: Flow sequence .* at line 1/)]],
    [
      ['-f', '-'],
      `organizations: [{ users: [{ password: "\${NOT_SET}", totp_secret: "file:///nowhere" }] }]`,
      7,
      [
        'organizations[0].users[0].password: needs the environment variable NOT_SET',
        'organizations[0].users[0].totpSecret: cannot read file:///nowhere (ENOENT)',
      ],
    ],
    [
      ['-f', '-'],
      'organizations: [{ id: refused, name: A, primaryDomain: refused.localhost, users: [{ emial: x }] }]\ndefaultOrganization: nowhere',
      7,
      [
        'organizations[0].users[0].userName: is required',
        'organizations[0].users[0].profile: is required',
        'organizations[0].users[0].emial: unknown key',
        'defaultOrganization: there is no organization nowhere, neither in the file nor in the database',
      ],
    ],
    [
      ['-f', '-'],
      'organizations: [{ id: refused, name: A, primaryDomain: refused.localhost }, { id: late, name: B, primaryDomain: home.localhost }]',
      7,
      [expect.stringMatching(/^organizations\[1\](\.primaryDomain)?: .*domain/)],
    ],
  ])('%j of %j exits with %i, names each path and changes nothing', async (args, text, code, lines) => {
    const outcome = await fixture.signetWith({ env: env(), standardInput: typed(text) }, 'apply', ...args)
    expect(outcome).toMatchObject({ code, out: '' })
    expect(outcome.err.trimEnd().split('\n')).toEqual(lines)
    expect((await fixture.signet('organization', 'read', 'refused')).code).toBe(5)
  })
})

describe('the npm package', () => {
  let empty: string
  let files: readonly string[]
  const inFolder = async (command: string, ...args: string[]) => {
    const { issuer } = fixture.system
    const env = { ...childEnvironment(), HOME: empty, SIGNET_ISSUER: issuer, SIGNET_TOKEN: fixture.token }
    return (await promisify(execFile)(command, args, { cwd: empty, env })).stdout.trim()
  }
  beforeAll(async () => {
    empty = await mkdtemp(join(fixture.folder, 'empty-'))
    files = (await inFolder(process.execPath, PACK, fixture.folder)).split('\n')
  })

  it('is installed into an empty folder without anything else, and calls the suite', async () => {
    const [archive = ''] = files
    await inFolder('npm', 'install', '--offline', '--no-audit', join(fixture.folder, archive))
    expect(await readdir(join(empty, 'node_modules', '@signet'))).toEqual(['cli'])
    const installed = (...args: string[]) => inFolder(join('node_modules', '.bin', 'signet'), ...args)
    expect(await installed('--version')).toMatch(/^signet \d+\.\d+\.\d+$/)
    expect(await installed('--help')).toContain('signet apply')
    const shown = await installed('organization', 'read', 'home', '--output', 'json')
    expect(JSON.parse(shown)).toMatchObject({ id: 'home' })
  })

  it.each(NODES)('is one file that %s runs', async (_name, node, ...options) => {
    const [, file = ''] = files
    expect(file).toBe('signet.cjs')
    const alone = (...args: string[]) => inFolder(node, ...options, join(fixture.folder, file), ...args)
    expect(await alone('--version')).toMatch(/^signet \d+\.\d+\.\d+$/)
    expect(await alone('application', 'create', '--help')).toContain('Kinds:')
    expect(JSON.parse(await alone('organization', 'read', 'home', '--output', 'json'))).toMatchObject({
      id: 'home',
    })
    expect(await alone('user', 'list', '--all')).toContain('operator')
    expect(await alone('organization', 'update', 'home.localhost', '--set', 'name=Home')).toContain('Home')
    expect(await alone('keys', 'plan')).toContain('RS256')
    expect(await alone('completion', 'powershell')).toContain('Register-ArgumentCompleter')
    const certificates = await mkdtemp(join(empty, 'certs-'))
    expect(await alone('certs', 'init', '--out', join(certificates, 'new'))).toMatch(/^15 files in /)
    expect(await alone('apply', '--help')).toContain('bootstrap file')
    const document = join(certificates, 'organization.json')
    await alone('export', '--out', document, '--organization', 'home')
    await alone('import', document, '--into', 'home', '--dry-run')
  })

  it.each(NODES)(
    'seals, verifies and imports archives as one file that %s runs',
    async (_name, node, ...options) => {
      const file = join(fixture.folder, files[1] ?? '')
      const alone = (...args: string[]) => inFolder(node, ...options, file, ...args)
      const folder = await mkdtemp(join(empty, 'archive-'))
      const identity = join(folder, 'identity.txt')
      const recipient = (await alone('archive', 'keygen', '--out', identity)).trim()
      const archive = join(folder, 'organization.age')
      const sealing = ['--with-otp', '--recipient', recipient, '--compression', 'gzip']
      await alone('export', '--out', archive, '--organization', 'home', ...sealing)
      const keys = `${fixture.system.issuer}/oauth/v2/keys`
      const verified = await alone('archive', 'verify', archive, '--identity', identity, '--keys', keys)
      expect(verified).toContain('is whole')
      await alone('import', archive, '--identity', identity, '--into', 'home', '--dry-run')
    },
  )

  it('says on Node.js 16 which one it needs', async () => {
    const file = join(fixture.folder, files[1] ?? '')
    await expect(inFolder(process.execPath, '--require', AS_NODE_16, file)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'signet: needs Node.js 18 or later; this is 16.20.2\n',
    })
  })
})

describe('signet login', () => {
  it('keeps a token, or credentials of a service user, where only the user can read them', async () => {
    const env = { XDG_CONFIG_HOME: fixture.folder }
    const issuer = ['--issuer', fixture.system.issuer]
    const signedIn = (...args: string[]) => fixture.signetWith({ env }, ...args)
    const list = ['organization', 'list', '--output', 'json']
    expect(await signedIn(...list)).toMatchObject({ code: 3, err: expect.stringContaining('signet login') })

    const wrong = { env, standardInput: typed('wrong') }
    expect(await fixture.signetWith(wrong, 'login', ...issuer, '--token-file', '-')).toMatchObject({
      code: 3,
    })
    const right = { env, standardInput: typed(`${fixture.token}\n`) }
    expect(await fixture.signetWith(right, 'login', ...issuer, '--token-file', '-')).toMatchObject({
      code: 0,
    })
    expect((await stat(loginFile(env))).mode & 0o777).toBe(0o600)
    expect((await signedIn(...list)).code).toBe(0)
    // The same login reads keys.
    expect((await signedIn('keys', 'list')).code).toBe(0)

    const { clientId, clientSecret } = await json(
      'service-user',
      'rotate-secret',
      'operator',
      '--set',
      'overlapSeconds=0',
      '--yes',
    )
    const secret = { env, standardInput: typed(String(clientSecret)) }
    const client = [...issuer, '--client-id', String(clientId), '--client-secret-file', '-']
    expect(await fixture.signetWith(secret, 'login', ...client)).toMatchObject({ code: 0, err: '' })
    expect((await stat(loginFile(env))).mode & 0o777).toBe(0o600)
    expect((await signedIn(...list)).code).toBe(0)
    expect(await fixture.signetWith(wrong, 'login', ...client)).toMatchObject({ code: 3 })

    expect((await signedIn('logout')).code).toBe(0)
    expect((await signedIn(...list)).code).toBe(3)
  })
})

describe('the doctor', () => {
  it('shows the findings of each check and exits with 12', async () => {
    const { code, out, err } = await fixture.signet('doctor')
    expect([code, err]).toEqual([12, expect.stringContaining('checks found something')])
    expect(out).toMatch(/Personal access tokens have no end .* \(\d+\)\n {2}Create a token/)
    expect(out).toMatch(/\ntoken +operation +home +of user operator, without end/)
  })

  it('names each setting that keeps an application from fapi2 with its rule, until none does', async () => {
    const projects = [{ id: 'vault', name: 'Vault', applications: [{ id: 'vault', name: 'V', type: 'web' }] }]
    const file = join(fixture.folder, 'vault.json')
    const organization = { id: 'bank', name: 'Bank', primaryDomain: 'bank.example', projects }
    await writeFile(file, JSON.stringify({ organizations: [organization] }))
    expect((await fixture.signet('apply', '--file', file)).code).toBe(0)
    for (const args of [['--fapi2', 'vault'], ['--fapi2']]) {
      const { code, out } = await fixture.signet('doctor', ...args)
      expect(code).toBe(12)
      expect(out).toMatch(/\napplication +vault +bank +authMethod: .*section 5\.3\.2\.1.*private_key_jwt/)
      expect(out).toMatch(/\napplication +vault +bank +idTokenSigningAlg: .*section 5\.4\.1/)
    }
    const set = [
      '--set',
      'authMethod=private_key_jwt',
      '--set',
      'idTokenSigningAlg=ES256',
      '--set',
      'fapi2=true',
    ]
    expect((await fixture.signet('application', 'update', 'vault', ...set)).code).toBe(0)
    expect(await fixture.signet('doctor', '--fapi2', 'vault')).toMatchObject({ code: 0 })
    expect((await fixture.signet('doctor', '--fapi2', 'none')).code).not.toBe(0)
    expect((await fixture.signet('doctor', '--fapi2', '--limit', '1')).err).toContain('no other check')
  })
})

describe('user impersonate', () => {
  const reason = 'Ticket 4711: the report stays empty'
  const args = ['user', 'impersonate', 'operator', '--reason', reason]

  it('says why the API refuses, and needs the reason', async () => {
    expect(await fixture.signet(...args)).toMatchObject({
      code: 4,
      err: expect.stringContaining('needs role IAM_ADMIN_IMPERSONATOR'),
    })
    const withoutReason = await fixture.signet('user', 'impersonate', 'operator')
    expect(withoutReason).toMatchObject({ code: 2, err: expect.stringContaining('--reason') })
  })

  it('prints the link, opens it, and says what it does', async () => {
    const link = {
      id: 'i1',
      url: 'https://id.example/ui/impersonation?token=x',
      expiresAt: '2026-01-31T09:30:00Z',
    }
    const sent: unknown[] = []
    const opened: string[] = []
    const change = {
      fetch: async (input: string | URL | Request, init?: RequestInit) => {
        const request = new Request(input, init)
        if (!request.url.endsWith('/users/operator/impersonations')) return fetch(request)
        sent.push(await request.json())
        return Response.json(link)
      },
      openBrowser: async (url: string) => void opened.push(url),
    }
    const { code, out, err } = await fixture.signetWith(change, ...args)
    expect([code, out]).toEqual([0, `${link.url}\n`])
    expect(err).toContain('for an hour at\nmost')
    const printed = await fixture.signetWith(change, ...args, '--no-browser', '--output', 'json')
    expect(JSON.parse(printed.out)).toEqual(link)
    expect([sent, opened]).toEqual([[{ reason }, { reason }], [link.url]])
  })
})
