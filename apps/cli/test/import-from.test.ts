import { execFileSync } from 'node:child_process'
import { pbkdf2Sync, randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HttpBrowser } from '@signet/testing/http-browser'
import { shownCode } from '@signet/testing/shown-code'
import { basic } from '@signet/testing/system/client-credentials'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type CommandFixture, startCommandFixture } from './command-fixture.ts'

const PASSWORD = 'Correct-horse-7'

let fixture: CommandFixture
beforeAll(async () => {
  fixture = await startCommandFixture()
})
afterAll(() => fixture.close())

/** A password as Keycloak stores it: PBKDF2 with SHA-512, 210,000 rounds by default, and 64 bytes. */
function keycloakPassword(password: string, rounds = 210_000) {
  const salt = randomBytes(16)
  const value = pbkdf2Sync(password, salt, rounds, 64, 'sha512').toString('base64')
  return {
    type: 'password',
    secretData: JSON.stringify({ value, salt: salt.toString('base64'), additionalParameters: {} }),
    credentialData: JSON.stringify({
      hashIterations: rounds,
      algorithm: 'pbkdf2-sha512',
      additionalParameters: {},
    }),
  }
}

const realm = {
  id: 'old-realm',
  realm: 'old',
  enabled: true,
  smtpServer: { host: 'mail.old.example' },
  roles: { realm: [{ name: 'reader' }] },
  clients: [
    {
      id: 'former-web',
      clientId: 'former-web',
      publicClient: true,
      enabled: true,
      standardFlowEnabled: true,
      redirectUris: ['https://web.old.example/callback', 'https://web.old.example/*'],
    },
  ],
}
const users = [
  {
    id: '5f0c1f52-0000-4000-8000-000000000001',
    username: 'ann',
    enabled: true,
    firstName: 'Ann',
    email: 'ann@old.example',
    emailVerified: true,
    realmRoles: ['reader'],
    credentials: [keycloakPassword(PASSWORD)],
  },
]

async function signIn(
  password: string,
  { loginName = 'ann@old.example', clientId = 'former-web' } = {},
): Promise<string> {
  const browser = new HttpBrowser(fixture.system.issuer)
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: 'https://web.old.example/callback',
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'A'.repeat(43),
    code_challenge_method: 'S256',
  })
  const form = await browser.open(`/oauth/v2/authorize?${query}`)
  if (form.status !== 200) return form.headers.get('location') ?? form.body
  const next = await browser.submit(form, { login_name: loginName, password })
  return next.headers.get('location') ?? next.body
}

describe('signet import --from', () => {
  it('imports a realm of Keycloak, and its users sign in with their old passwords', async () => {
    const folder = join(fixture.folder, 'keycloak')
    await mkdir(folder)
    await writeFile(join(folder, 'old-realm.json'), JSON.stringify(realm))
    await writeFile(join(folder, 'old-users-0.json'), JSON.stringify({ realm: 'old', users }))
    // A file outside of the folder is not read.
    const outside = join(fixture.folder, 'outside.json')
    await writeFile(outside, JSON.stringify({ realm: 'old', users: [{ id: 'x', username: 'x' }] }))
    await symlink(outside, join(folder, 'old-users-1.json'))

    const temporary = join(fixture.folder, 'temporary')
    await mkdir(temporary)
    vi.stubEnv('TMPDIR', temporary)
    onTestFinished(() => void vi.unstubAllEnvs())
    const dry = await fixture.signet('import', '--from', 'keycloak', folder, '--dry-run')
    expect(dry).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^nothing was written; it would be: 6 created, 0 updated, 0 skipped, 0 failed\npassword hashes: 1 verify here, 0 too slow, 0 unusable; .*\n {2}1 pbkdf2-sha512 rounds=210000, .*\nsecond factors: .*\nsignet import apply \w+ does it, /,
      ),
    })
    expect(dry.err.split('\n').slice(0, 8)).toEqual([
      'people or applications cannot sign in as before:',
      '  1 × clients[].redirectUris with a wildcard or relative (former-web)',
      '  1 × clients[].public client without PKCE (former-web)',
      'tokens have other claims than before:',
      '  1 × realm.roles in realm_access and resource_access of tokens (old)',
      '1 other values without a counterpart here, or against a rule: realm.smtpServer',
      'to do for each application:',
      '  former-web: register the exact URI in place of https://web.old.example/*; send a code challenge (PKCE), or set pkceOptional until the application does',
    ])
    expect((await fixture.signet('organization', 'read', 'old-realm')).code).toBe(5)

    // Files of the command itself are no part of the export, also in its folder.
    const kept = join(folder, 'converted.json')
    const list = join(folder, 'left-out.ndjson')
    const files = ['--converted', kept, '--left-out', list]
    const done = await fixture.signet('import', '--from', 'keycloak', folder, ...files)
    expect(done).toMatchObject({ code: 0, out: '6 created, 0 updated, 0 skipped, 0 failed\n' })
    expect((await stat(kept)).mode & 0o777).toBe(0o600)
    expect((await stat(list)).mode & 0o777).toBe(0o600)
    const values = (await readFile(list, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(values.map(({ what, value }) => [what, value])).toEqual([
      ['realm.smtpServer', { host: 'mail.old.example' }],
      ['realm.roles in realm_access and resource_access of tokens', undefined],
      ['clients[].redirectUris with a wildcard or relative', 'https://web.old.example/*'],
      ['clients[].public client without PKCE', undefined],
    ])
    expect(JSON.parse(await readFile(kept, 'utf8')).orgs[0]).toMatchObject({ orgId: 'old-realm' })
    expect(await readdir(temporary)).toEqual([])
    vi.unstubAllEnvs()

    await expect.poll(() => signIn(PASSWORD)).toMatch(/^https:\/\/web\.old\.example\/callback\?code=/)
    expect(await signIn('Wrong-horse-7')).not.toContain('code=')
  })

  it('keeps the list with the import, and counts its tasks down as they are done', async () => {
    const file = join(fixture.folder, 'listed.json')
    const portal = {
      ...{ id: 'portal-app', clientId: 'portal', enabled: true, standardFlowEnabled: true, secret: 'short' },
      redirectUris: ['https://portal.listed.example/*', 'http://portal.listed.example/plain'],
    }
    await writeFile(file, JSON.stringify({ id: 'listed', realm: 'listed', enabled: true, clients: [portal] }))
    const list = join(fixture.folder, 'listed.jsonl')
    const done = await fixture.signet('import', '--from', 'keycloak', file, '--left-out', list)
    expect(done.code).toBe(9)
    const [, jobId = ''] = /import (\w+): 1 of \d+ objects are imported with changes/.exec(done.err) ?? []
    expect(done.out).toMatch(/^\d+ created, 0 updated, 0 skipped, 0 failed; 1 of them with changes/)
    expect(done.err).toContain('left out or changed by the import:\n')

    const linesOf = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    const listed = linesOf((await fixture.signet('jobs', 'left-out', jobId)).out)
    const ofImport = listed.filter(({ by }) => by === 'import')
    expect(ofImport).toContainEqual(
      expect.objectContaining({ record: 'portal', value: 'http://portal.listed.example/plain' }),
    )
    const written = linesOf(await readFile(list, 'utf8'))
    const conversion = listed.filter(({ by }) => by === 'conversion').map(({ by: _, ...value }) => value)
    expect(written).toEqual(expect.arrayContaining([...conversion, ...ofImport]))
    expect(written).toHaveLength(listed.length)

    const checklist = async () => (await fixture.signet('migration', 'checklist', jobId)).out
    const wildcard = 'register the exact URI in place of https://portal.listed.example/*'
    const secret = 'make a new secret: signet application rotate-secret'
    expect(await checklist()).toMatch(/^portal: 0 of \d done\n/)
    expect(await checklist()).toContain(`  [ ] ${wildcard}\n`)
    expect(await checklist()).toContain(
      `  [ ] ${secret}\n      signet application rotate-secret portal-app\n`,
    )
    const uri = 'redirectUris+=https://portal.listed.example/plain'
    expect((await fixture.signet('application', 'update', 'portal-app', '--set', uri)).code).toBe(0)
    expect((await fixture.signet('application', 'rotate-secret', 'portal-app')).code).toBe(0)
    await expect.poll(checklist).toContain(`  [x] ${secret}\n`)
    expect(await checklist()).toContain(`  [x] ${wildcard}\n`)
    expect(await checklist()).toMatch(/^portal: 3 of \d done\n/)
    expect((await fixture.signet('migration', 'checklist', 'none')).code).toBe(5)
  })

  it('has a list whose commands do their tasks as they are typed', async () => {
    const file = join(fixture.folder, 'typed.json')
    const client = (name: string, members: object) => ({
      ...{ id: `typed-${name}`, clientId: `typed-${name}`, enabled: true, standardFlowEnabled: true },
      ...{
        secret: 'k3J9vQpX2mT7sLw4Zb8nRd6Y',
        redirectUris: [`https://${name}.typed.example/cb`],
        ...members,
      },
    })
    const clients = [
      client('wild', {
        secret: 'short',
        redirectUris: ['https://wild.typed.example/*'],
        attributes: { 'post.logout.redirect.uris': '+' },
      }),
      client('host', { redirectUris: ['http://127.0.0.1/*'] }),
      client('anywhere', { redirectUris: ['*'] }),
      client('spa', { secret: undefined, publicClient: true }),
      client('keys', { clientAuthenticatorType: 'client-jwt' }),
      client('certificate', { clientAuthenticatorType: 'client-x509' }),
      client('backend', { serviceAccountsEnabled: true }),
      client('direct', {
        ...{ publicClient: true, redirectUris: [] },
        ...{ standardFlowEnabled: false, directAccessGrantsEnabled: true },
      }),
    ]
    const account = {
      ...{ id: 'typed-account', username: 'service-account-typed-backend', enabled: true },
      ...{ serviceAccountClientId: 'typed-backend', realmRoles: ['reader', 'not in the file'] },
    }
    const roles = { realm: [{ name: 'reader' }] }
    const content = { id: 'typed', realm: 'typed', enabled: true, roles, clients, users: [account] }
    await writeFile(file, JSON.stringify(content))
    const done = await fixture.signet('import', '--from', 'keycloak', file)
    const [list = ''] = /^signet migration checklist \w+/m.exec(done.err) ?? []

    const words = (line: string) =>
      execFileSync('sh', ['-c', `signet() { printf '%s\\0' "$@"; }\n${line}`], { encoding: 'utf8' })
        .split('\0')
        .slice(0, -1)
    const typed = new Set<string>()
    async function type(line: string): Promise<string> {
      const { code, out, err } = await fixture.signet(...words(line))
      expect([line, code, err]).toEqual([line, 0, code === 0 ? err : ''])
      typed.add(line)
      return out
    }
    // Requests of the applications before their URIs are registered.
    const sent = { wild: 'https://wild.typed.example/callback', host: 'http://127.0.0.1:51004/callback' }
    for (const [name, redirectUri] of Object.entries({ ...sent, anywhere: 'https://any.typed.example/in' })) {
      const query = new URLSearchParams({ client_id: `typed-${name}`, redirect_uri: redirectUri })
      const page = await new HttpBrowser(fixture.system.issuer).open(`/oauth/v2/authorize?${query}`)
      expect([page.status, page.body]).toEqual([400, expect.stringContaining('redirect_uri')])
    }
    await expect.poll(() => type(list)).toContain('redirectUris+=["http://127.0.0.1:51004/callback"]')
    await expect
      .poll(() => type('signet why --application typed-anywhere'))
      .toContain('redirectUris+=https://any.typed.example/in')

    for (let round = 0; round < 4; round += 1) {
      const checklist = await type(list)
      for (const [, line = ''] of checklist.matchAll(/^ {6}(signet .*)$/gm)) {
        const printed = await type(line)
        const cures = printed.matchAll(/Cure: (signet application update .*Uris\+=.*)$/gm)
        for (const cure of new Set([...cures].map(([, command = '']) => command))) await type(cure)
      }
      if (!/^ {2}\[ \]/m.test(checklist)) break
    }
    const left = (await type(list)).split('\n').filter((line) => /^ {2}\[ \]|^ {6}/.test(line))
    // Its application has no URI yet.
    expect(left).toEqual([
      expect.stringContaining('authorization code flow'),
      expect.stringContaining('signet why'),
    ])
    expect([...typed]).toContain('signet application update typed-spa --set pkceOptional=true')
    const user = await fixture.signet(
      'user',
      'list',
      '--user-name',
      'service-account-typed-backend',
      '--output',
      'json',
    )
    const [{ id = '' } = {}] = JSON.parse(user.out).items
    const grants = await fixture.signet('user-grant', 'list', 'typed', '--user-id', id, '--output', 'json')
    expect(JSON.parse(grants.out).items[0].roles).toEqual(['not in the file', 'reader'])

    // An administrator of another organization may make a user of the same name, who is not given the roles.
    for (const namesake of ['0', 'zz']) {
      const named = `--set name=${namesake} --set primaryDomain=${namesake}.typed.example`
      await type(`signet organization create --set id=${namesake} ${named}`)
      const set = `--set id=${namesake}-user --set userName=service-account-typed-backend`
      await type(`signet service-user create --set organizationId=${namesake} ${set}`)
    }
    expect(await type(list)).toContain('  [x] make a service user')
    expect(await type(list)).not.toContain('-user')
  })

  it('imports a folder of 20 realms with the same clients and user names, and each lets its own people in', async () => {
    const folder = join(fixture.folder, 'realms')
    await mkdir(folder)
    const names = Array.from({ length: 20 }, (_, number) => `shop${number}`)
    for (const name of names) {
      const [client, [person]] = [realm.clients[0], users]
      const own = {
        ...{ id: name, realm: name, roles: realm.roles },
        clients: [{ ...client, id: `${name}-client`, clientId: 'frontend' }],
        users: [
          {
            ...person,
            id: `${name}-ann`,
            email: `ann@${name}.example`,
            credentials: [keycloakPassword(name + PASSWORD, 5_000)],
          },
        ],
      }
      await writeFile(join(folder, `${name}-realm.json`), JSON.stringify(own))
    }
    const refused = await fixture.signet('import', '--from', 'keycloak', folder)
    expect(refused.err).toContain('the realms "shop0" and "shop1" both have a client "frontend"')
    const { code, out } = await fixture.signet('import', '--from', 'keycloak', folder, '--prefix-client-ids')
    expect([code, out]).toEqual([0, '120 created, 0 updated, 0 skipped, 0 failed\n'])
    for (const name of names) {
      // The name means 20 people; the organization of the application decides.
      const own = { loginName: 'ann', clientId: `${name}.frontend` }
      await expect
        .poll(() => signIn(name + PASSWORD, own))
        .toMatch(/^https:\/\/web\.old\.example\/callback\?code=/)
    }
    expect(await signIn(`shop1${PASSWORD}`, { loginName: 'ann', clientId: 'shop0.frontend' })).not.toContain(
      'code=',
    )
  })

  it('fills in placeholders with the values of a file, and names the others', async () => {
    const file = join(fixture.folder, 'template.json')
    const variables = join(fixture.folder, 'variables.env')
    const portal = {
      ...{ clientId: '$\x7bPORTAL}', name: 'Portal of ##COMPANY##' },
      attributes: { 'backchannel.logout.url': 'https://$\x7bOTHER}/logout' },
      ...{
        redirectUris: ['https://$(env:PORTAL).example/cb'],
        standardFlowEnabled: true,
        secret: '$\x7bSECRET}',
      },
    }
    await writeFile(file, JSON.stringify({ id: 'filled', realm: 'filled', enabled: true, clients: [portal] }))
    await writeFile(
      variables,
      `PORTAL=filled-portal\nCOMPANY="A 'B' Company"\nSECRET=${'s3cret'.repeat(6)}\n`,
    )
    const done = await fixture.signet('import', '--from', 'keycloak', file, '--env', variables)
    expect(done).toMatchObject({ code: 0, err: expect.stringContaining('placeholder of the deployment') })
    expect(done.out + done.err).not.toContain('s3cret')
    const read = await fixture.signet('application', 'read', 'filled-portal', '--output', 'json')
    expect(JSON.parse(read.out)).toMatchObject({
      name: "Portal of A 'B' Company",
      redirectUris: ['https://filled-portal.example/cb'],
      authMethod: 'client_secret_basic',
    })
    const csv = ['--from', 'csv', '--mapping', 'okta', '--organization', 'x', '--env', variables]
    expect(await fixture.signet('import', file, ...csv)).toMatchObject({
      code: 2,
      err: '--env: files of csv have no placeholders\n',
    })
  })

  it('imports an export of Keycloak 26.7.3: passwords of each hash, codes of two devices and the secret of a client', async () => {
    // Recorded by e2e/test/keycloak.interop.ts, with twelve of its people, one who is disabled, and without private keys.
    const recorded = fileURLToPath(new URL('keycloak-26.7.3', import.meta.url))
    const { code, out, err } = await fixture.signet('import', '--from', 'keycloak', recorded)
    expect([code, out]).toEqual([0, '27 created, 0 updated, 0 skipped, 0 failed\n'])
    expect(err).toContain('  1 × clients[].redirectUris with a wildcard or relative (old-web)\n')

    const signIn = async (number: number, code?: string) => {
      const browser = new HttpBrowser(fixture.system.issuer)
      const query = {
        client_id: 'old-web',
        redirect_uri: 'https://web.old.example/callback',
        response_type: 'code',
        scope: 'openid',
      }
      const form = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(query)}`)
      const credentials = { login_name: `person-${number}@old.example`, password: `Old-password-${number}` }
      let page = await browser.submit(form, credentials)
      if (code !== undefined) page = await browser.submit(page, { code })
      return page.headers.get('location')?.includes('?code=') ?? false
    }
    // The bytes of Keycloak's text, which an authenticator shows in base32.
    const secret = 'IRFG2ULGIM3TGVSHIZUHON2EGRIUUOCB'
    const codes: Readonly<Record<number, string>> = {
      0: shownCode(secret),
      10: shownCode(secret, { algorithm: 'SHA256', digits: 8, period: 60 }),
    }
    const signedIn: number[] = []
    for (let number = 0; number < 12; number += 1) {
      if (await signIn(number, codes[number])) signedIn.push(number)
    }
    expect(signedIn).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(await signIn(49)).toBe(false)

    const form = { grant_type: 'client_credentials', scope: 'openid' }
    const old = basic('old-web', 'a-secret-of-the-old-web-client')
    expect(await fixture.system.post('/oauth/v2/token', form, old)).toMatchObject({ status: 200 })
  }, 60_000)

  it('refuses other products, files that cannot be converted, and options of a conversion without one', async () => {
    const file = join(fixture.folder, 'no-realm.json')
    await writeFile(file, '{"orgs":[]}')
    expect(await fixture.signet('import', '--from', 'keycloak', file)).toMatchObject({
      code: 7,
      err: 'no-realm.json is no realm export: it names no realm\n',
    })
    expect(await fixture.signet('import', '--from', 'constructor', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--from: must be keycloak'),
    })
    expect((await fixture.signet('import', '--from', 'keycloak', join(fixture.folder, 'none'))).code).toBe(2)
    expect((await fixture.signet('import', file, '--converted', `${file}.out`)).code).toBe(2)
    const kept = ['--converted', `${file}.out`]
    expect((await fixture.signet('import', '--from', 'keycloak', file, ...kept)).code).toBe(7)
    expect(await readdir(fixture.folder)).not.toContainEqual(expect.stringContaining('.out'))
  })

  it('imports a CSV file by its mapping, users of Auth0 and the output of zitadel-tools', async () => {
    const csv = join(fixture.folder, 'users.csv')
    await writeFile(csv, 'login,mail,team\nbea,bea@csv.example,blue\n')
    const mapping = join(fixture.folder, 'mapping.yaml')
    await writeFile(
      mapping,
      'organization: {id: csv}\ncolumns: {login: userName, mail: email, team: roles}\n',
    )
    const created = (count: number) => ({
      code: 0,
      out: `${count} created, 0 updated, 0 skipped, 0 failed\n`,
    })
    const from = (product: string, ...args: string[]) => fixture.signet('import', '--from', product, ...args)
    expect(await from('csv', csv, '--mapping', mapping)).toMatchObject(created(5))
    expect(await from('csv', csv)).toMatchObject({ code: 2, err: expect.stringContaining('--mapping') })
    await writeFile(mapping, 'columns: {login: shoeSize}\n')
    expect(await from('csv', csv, '--mapping', mapping)).toMatchObject({
      code: 7,
      err: expect.stringContaining('the mapping: columns.login'),
    })

    const auth0 = join(fixture.folder, 'auth0.ndjson')
    await writeFile(auth0, '{"user_id":"auth0|5f7c","email":"cid@auth0.example"}\n')
    expect(await from('auth0', auth0)).toMatchObject({ code: 7 })
    expect(await from('auth0', auth0, '--organization', 'auth0')).toMatchObject(created(3))
    expect((await fixture.signet('user', 'read', 'auth0|5f7c')).code).toBe(0)

    const zitadel = join(fixture.folder, 'importBody.json')
    const humanUsers = [
      { userId: 'z1', user: { userName: 'zoe', profile: {}, email: { email: 'z@z.example' } } },
    ]
    await writeFile(zitadel, JSON.stringify({ dataOrgs: { orgs: [{ orgId: 'tools', humanUsers }] } }))
    expect(await from('zitadel', zitadel)).toMatchObject(created(2))
  })

  it('imports blueprints of Authentik: a person signs in by the hash of the table, an application by values of a file', async () => {
    const folder = join(fixture.folder, 'authentik')
    await mkdir(folder)
    const key = pbkdf2Sync(PASSWORD, 'salt-text', 600_000, 32, 'sha256').toString('base64')
    await writeFile(
      join(folder, 'passwords.ndjson'),
      JSON.stringify({ username: 'dana', password: `pbkdf2_sha256$600000$salt-text$${key}` }),
    )
    await writeFile(
      join(folder, 'export.yaml'),
      `version: 1
entries:
  - model: authentik_core.user
    identifiers: { username: dana }
    attrs: { name: Dana, email: dana@authentik.example }
  - model: authentik_providers_oauth2.oauth2provider
    id: web
    identifiers: { name: web }
    attrs:
      client_type: public
      client_id: !Env WEB_CLIENT_ID
      redirect_uris: [{ matching_mode: strict, url: "https://web.old.example/callback" }]
  - model: authentik_core.application
    identifiers: { slug: web }
    attrs: { name: Web, provider: !KeyOf web }
`,
    )
    const from = ['--from', 'authentik', folder, '--organization', 'authentik']
    expect(await fixture.signet('import', ...from)).toMatchObject({
      code: 7,
      err: expect.stringContaining('client_id "$\x7bWEB_CLIENT_ID}" is a placeholder of the deployment'),
    })
    const env = join(fixture.folder, 'authentik.env')
    await writeFile(env, 'WEB_CLIENT_ID=authentik-web\n')
    expect(await fixture.signet('import', ...from, '--env', env)).toMatchObject({
      code: 0,
      out: '4 created, 0 updated, 0 skipped, 0 failed\n',
    })
    const options = { loginName: 'dana', clientId: 'authentik-web' }
    expect(await signIn('wrong-Password-7', options)).not.toContain('code=')
    expect(await signIn(PASSWORD, options)).toContain('code=')
  })

  it('reads the folders of a tree of the deploy CLI of Auth0, and follows no link in them', async () => {
    const folder = join(fixture.folder, 'auth0-tree')
    await mkdir(join(folder, 'clients'), { recursive: true })
    await mkdir(join(folder, 'other'))
    const client = { name: 'Tree', client_id: 'tree', app_type: 'spa', grant_types: ['authorization_code'] }
    await writeFile(join(folder, 'clients', 'Tree.json'), JSON.stringify(client, null, 2))
    await writeFile(join(folder, 'other', 'x.json'), '{}')
    await symlink(join(folder, 'other', 'x.json'), join(folder, 'clients', 'link.json'))
    const from = ['--from', 'auth0', folder, '--organization', 'auth0-tree']
    expect(await fixture.signet('import', ...from)).toMatchObject({
      code: 0,
      out: '3 created, 0 updated, 0 skipped, 0 failed\n',
    })
  })
})
