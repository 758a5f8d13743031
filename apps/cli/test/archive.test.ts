import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CommandFixture, startCommandFixture, typed } from './command-fixture.ts'

let fixture: CommandFixture
let identity: string
let recipient: string
let keys: string
const file = (name: string) => join(fixture.folder, name)

beforeAll(async () => {
  fixture = await startCommandFixture()
  identity = file('identity.txt')
  recipient = (await fixture.signet('archive', 'keygen', '--out', identity)).out.trim()
  keys = `${fixture.system.issuer}/oauth/v2/keys`
  const user = (userId: string, more: object) => ({
    userId,
    user: { userName: userId, profile: { firstName: 'Given', lastName: 'Family' }, ...more },
  })
  const hashedPassword = { value: '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py' }
  const humanUsers = [
    user('ann', { hashedPassword, otpCode: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }),
    user('ben', {}),
  ]
  const text = JSON.stringify({ orgs: [{ orgId: 'acme', org: { name: 'Acme' }, humanUsers }] })
  const env = { SIGNET_ISSUER: fixture.system.issuer, SIGNET_TOKEN: fixture.token }
  const imported = await fixture.signetWith({ env, standardInput: typed(text) }, 'import', '-')
  expect(imported).toMatchObject({ code: 0, out: '3 created, 0 updated, 0 skipped, 0 failed\n' })
})
afterAll(() => fixture?.close())

const exportTo = (out: string, ...args: string[]) =>
  fixture.signet('export', '--organization', 'acme', '--with-passwords', '--with-otp', '--out', out, ...args)

describe('signet archive keygen', () => {
  it('writes an identity for the user alone and replaces none', async () => {
    expect(recipient).toMatch(/^age1[a-z0-9]{58}$/)
    expect((await stat(identity)).mode & 0o777).toBe(0o600)
    expect(await readFile(identity, 'utf8')).toContain(`# public key: ${recipient}\nAGE-SECRET-KEY-1`)
    const again = await fixture.signet('archive', 'keygen', '--out', identity)
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('is there already') })
  })
})

describe('signet export of hashes and secrets', () => {
  it('is refused without a recipient where none can be asked', async () => {
    const refused = await exportTo(file('refused.json'))
    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--recipient AGE1…') })
    expect(refused.err).toContain('--unsealed')
    await expect(stat(file('refused.json'))).rejects.toThrow('ENOENT')
    const args = ['--recipient', recipient, '--unsealed']
    expect((await exportTo(file('refused.json'), ...args)).code).toBe(2)
    expect((await exportTo(file('refused.json'), '--recipient', 'age1nothing')).code).toBe(2)
    expect((await exportTo(file('unsealed.json'), '--unsealed')).code).toBe(0)
    const plain = await fixture.signet('export', '--organization', 'acme', '--out', file('plain.json'))
    expect(plain.code).toBe(0)
  })

  it('asks for recipients on a terminal', async () => {
    const questions: string[] = []
    const answering = (answer: string) => ({
      ask: async (question: string) => {
        questions.push(question)
        return answer
      },
    })
    const args = ['export', '--organization', 'acme', '--with-otp', '--out', file('asked.age')]
    expect((await fixture.signetWith(answering(''), ...args)).code).toBe(2)
    expect((await fixture.signetWith(answering(` ${recipient}, `), ...args)).code).toBe(0)
    expect(questions[0]).toContain('Seal it for which recipients')
    expect((await readFile(file('asked.age'))).subarray(0, 22).toString()).toBe('age-encryption.org/v1\n')
  })

  it('writes nothing when the server does not seal', async () => {
    const forgetful: typeof fetch = (url, init) => {
      const body = typeof init?.body === 'string' ? init.body.replace('recipients', 'unknown') : init?.body
      return fetch(url, { ...init, ...(body !== undefined && { body }) })
    }
    const args = ['export', '--with-otp', '--recipient', recipient, '--out', file('forgotten.age')]
    const failed = await fixture.signetWith({ fetch: forgetful }, ...args)
    expect(failed).toMatchObject({ code: 10, err: expect.stringContaining('does not seal') })
    await expect(stat(file('forgotten.age'))).rejects.toThrow('ENOENT')
  })
})

it('counts the secrets and the keys of identity providers', async () => {
  const path = file('providers.json')
  expect(await exportTo(path, '--unsealed')).toMatchObject({ code: 0 })
  const document = JSON.parse(await readFile(path, 'utf8'))
  const idps = [
    { clientSecret: 'GOCSPX-1' },
    { ownPrivateKeys: ['MIIE-1', 'MIIE-2'] },
    { ownPrivateKeys: [] },
  ]
  document.orgs[0].oidcIdps = idps.map((idp, index) => ({ idpId: `idp${index}`, idp }))
  await writeFile(path, JSON.stringify(document))
  const { out } = await fixture.signet('archive', 'show', path)
  expect(out).toMatch(/^secret of an identity provider +1$/m)
  expect(out).toMatch(/^private keys at an identity provider +1$/m)
  expect(out).not.toMatch(/GOCSPX|MIIE/)
})

describe.each([
  ['sealed', () => ['--recipient', recipient]],
  ['sealed and compressed with gzip', () => ['--recipient', recipient, '--compression', 'gzip']],
  ['sealed and compressed with zstd', () => ['--recipient', recipient, '--compression', 'zstd']],
  ['compressed with gzip', () => ['--unsealed', '--compression', 'gzip']],
  ['unsealed', () => ['--unsealed']],
] as const)('an archive that is %s', (name, args) => {
  const archive = () => file(`${name}.archive`)
  const opening = () => (name.startsWith('sealed') ? ['--identity', identity] : [])
  beforeAll(async () => {
    expect(await exportTo(archive(), ...args())).toMatchObject({ code: 0 })
  })

  it('is verified, shown, opened and imported', async () => {
    const verified = await fixture.signet('archive', 'verify', archive(), '--keys', keys, ...opening())
    expect(verified).toMatchObject({ code: 0, err: '' })
    expect(verified.out).toContain('is whole: 1 orgs, 2 humanUsers')
    expect(verified.out).toContain(`signed by ${fixture.system.issuer} with the key `)

    const shown = await fixture.signet('archive', 'show', archive(), ...opening())
    expect(shown.out).toMatch(/^humanUsers +2$/m)
    expect(shown.out).toMatch(/^acme +Acme +2 +0$/m)
    expect(shown.out).toMatch(/^password hash 2a +1$/m)
    expect(shown.out).toMatch(/^TOTP secrets of a person +1$/m)
    expect(shown.out).not.toMatch(/WzQ8nYtq|JBSWY3DP/)

    const out = file('opened.json')
    expect((await fixture.signet('archive', 'open', archive(), ...opening(), '-o', out)).code).toBe(0)
    expect((await stat(out)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(out, 'utf8')).orgs[0].humanUsers[0].user.otpCode).toMatch(/^JBSWY3DP/)
    expect((await fixture.signet('archive', 'verify', out, '--keys', keys)).code).toBe(0)

    const imported = await fixture.signet('import', archive(), '--into', 'acme', ...opening())
    expect(imported).toMatchObject({ code: 0, out: '0 created, 0 updated, 3 skipped, 0 failed\n' })
  })

  it('is refused by verify, open and import when a byte is changed', async () => {
    const bytes = await readFile(archive())
    const target = name === 'unsealed' ? bytes.indexOf('"ben"') + 1 : bytes.length - 40
    bytes[target] = (bytes[target] ?? 0) ^ 1
    const changed = file('changed.archive')
    await writeFile(changed, bytes)
    const verified = await fixture.signet('archive', 'verify', changed, '--keys', keys, ...opening())
    expect(verified).toMatchObject({ code: 7, out: '' })
    if (name === 'unsealed') {
      expect(verified.err).toContain(`is not what ${fixture.system.issuer} signed: humanUsers`)
      return
    }
    expect(verified.err).toMatch(/damaged.*in or before|is damaged in/)
    const out = file('not-opened.json')
    expect((await fixture.signet('archive', 'open', changed, ...opening(), '-o', out)).code).toBe(7)
    await expect(stat(out)).rejects.toThrow('ENOENT')
    const imported = await fixture.signet('import', changed, ...opening())
    expect(imported).toMatchObject({ code: 7, out: '', err: expect.stringContaining('damaged') })
  })
})

describe('signet archive', () => {
  it('names what is missing: an identity, a key set, a key, a signature', async () => {
    const archive = file('named.age')
    await exportTo(archive, '--recipient', recipient)
    const verify = (...args: string[]) => fixture.signet('archive', 'verify', ...args)
    expect(await verify(archive, '--keys', keys)).toMatchObject({
      code: 2,
      err: expect.stringContaining('is sealed: name the file of an age identity with --identity'),
    })
    expect((await verify(archive, '--identity', identity)).err).toContain('--keys')
    const other = file('other-identity.txt')
    await fixture.signet('archive', 'keygen', '-o', other)
    expect(await verify(archive, '--keys', keys, '--identity', other)).toMatchObject({
      code: 7,
      err: expect.stringContaining('sealed for other recipients'),
    })
    expect((await verify(archive, '--keys', keys, '--identity', archive)).code).toBe(2)
    const keySet = file('keys.json')
    await writeFile(keySet, JSON.stringify({ keys: [] }))
    const opening = ['--identity', identity]
    expect(await verify(archive, '--keys', keySet, ...opening)).toMatchObject({
      code: 7,
      err: expect.stringMatching(/the key \S+ is not in .*keys\.json/),
    })
    await writeFile(keySet, await (await fetch(keys)).text())
    expect((await verify(archive, '--keys', keySet, ...opening)).code).toBe(0)
    expect((await verify(archive, '--keys', identity, ...opening)).err).toContain('not a JSON Web Key Set')
    const foreign = file('foreign.json')
    await writeFile(foreign, '{"orgs":[]}')
    expect((await verify(foreign, '--keys', keys)).err).toContain('has no meta')
    const unsigned = { format: 'signet-export', version: 1, createdAt: '', issuer: '', counts: {} }
    await writeFile(foreign, JSON.stringify({ orgs: [], meta: { ...unsigned, sha256: '0'.repeat(64) } }))
    expect((await verify(foreign, '--keys', keys)).err).toContain('it is not signed')
    expect((await verify(file('no-such-file'), '--keys', keys)).code).toBe(2)
  })

  it('gives identities to no server', async () => {
    const refused = await fixture.signet('import', 'storage:any.age', '--identity', identity)
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('never gets an identity') })
  })

  it('imports a file that another program compressed', async () => {
    const packed = file('packed.json.zst')
    await writeFile(packed, zstdCompressSync(await readFile(file('unsealed.json'))))
    const imported = await fixture.signet('import', packed, '--into', 'acme')
    expect(imported.out).toBe('0 created, 0 updated, 3 skipped, 0 failed\n')
  })
})

describe('the server', () => {
  it('refuses a sealed object of a storage, which it cannot open', async () => {
    const out = 'storage:sealed/acme.age'
    expect((await exportTo(out, '--recipient', recipient)).code).toBe(0)
    const stored = await readFile(join(fixture.folder, 'sealed/acme.age'))
    expect(stored.subarray(0, 22).toString()).toBe('age-encryption.org/v1\n')
    const local = file('sealed/acme.age')
    const opening = ['--identity', identity, '--into', 'acme']
    expect((await fixture.signet('import', local, ...opening)).code).toBe(0)
    const refused = await fixture.signet('import', out)
    expect(refused).toMatchObject({ code: 10, err: expect.stringContaining('is sealed with age') })
  })

  it.each([
    ['recipients', ['age1nothing'], '[0] must be a public key of age'],
    ['recipients', [], 'must name at least one recipient'],
    ['compression', 'brotli', 'must be gzip or zstd'],
  ])('refuses %s %j', async (member, value, message) => {
    const response = await fetch(`${fixture.system.base}/admin/v1/export`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fixture.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ [member]: value }),
    })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(message)
  })

  it('sends a sealed document as bytes, and an unsealed one as JSON', async () => {
    for (const [body, type] of [
      [{ recipients: [recipient] }, 'application/octet-stream'],
      [{ compression: 'zstd' }, 'application/zstd'],
      [{}, 'application/json; charset=utf-8'],
    ] as const) {
      const response = await fetch(`${fixture.system.base}/admin/v1/export`, {
        method: 'POST',
        headers: { authorization: `Bearer ${fixture.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ org_ids: ['acme'], ...body }),
      })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe(type)
      await response.arrayBuffer()
    }
  })
})
