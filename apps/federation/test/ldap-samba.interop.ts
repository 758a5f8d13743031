// A domain controller of Samba, which answers as Active Directory does, verifies passwords. `npm run test:interop` runs it where samba-tool is
// installed, as root: its ports are 389 and 636 of the loopback interface.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createCertificateAuthority } from '@signet/testing/client-certificates'
import { Client } from 'ldapts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PROVIDER, type RunningFederation, runFederation } from './fixtures/running-federation.ts'

const canRun =
  (process.env.SIGNET_TEST_INTEROP?.split(',') ?? []).includes('samba-tool') && process.getuid?.() === 0

const BASE = 'DC=ad,DC=example,DC=org'
const OWN = { dn: `CN=Administrator,CN=Users,${BASE}`, password: 'Passw0rd-of-admin' }
const PASSWORD = 'Passw0rd-of-a-person'
const URLS = { ldaps: 'ldaps://localhost:636', startTls: 'ldap://localhost:389' }
const NESTED = 'memberOf:1.2.840.113556.1.4.1941:'
const group = (name: string) => `CN=${name},CN=Users,${BASE}`
const run = promisify(execFile)

let folder: string
let server: ChildProcess
let federation: RunningFederation
let authority: Awaited<ReturnType<typeof createCertificateAuthority>>

const tool = (...words: readonly string[]) =>
  run('samba-tool', [...words, '-s', join(folder, 'etc/smb.conf')])

/** Makes a domain in a folder, with people in each state that refuses a sign-in. */
async function provision(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'signet-samba-'))
  await run('samba-tool', [
    ...['domain', 'provision', '--realm=AD.EXAMPLE.ORG', '--domain=AD', `--adminpass=${OWN.password}`],
    ...['--server-role=dc', '--dns-backend=NONE', `--targetdir=${folder}`, '--host-name=dc1'],
    ...['--host-ip=127.0.0.1', `--option=posix:eadb=${join(folder, 'eadb.tdb')}`],
  ])
  for (const name of ['alice', 'disabled', 'expired', 'stale', 'locked'])
    await tool('user', 'create', name, PASSWORD, `--mail-address=${name}@ad.example.org`)
  await tool('user', 'disable', 'disabled')
  await tool('user', 'setpassword', 'stale', `--newpassword=${PASSWORD}`, '--must-change-at-next-login')
  await tool('user', 'setexpiry', 'expired', '--days=-1')
  for (const name of ['inner', 'outer', 'other']) await tool('group', 'add', name)
  await tool('group', 'addmembers', 'inner', 'alice')
  await tool('group', 'addmembers', 'outer', 'inner')
  await tool('domain', 'passwordsettings', 'set', '--account-lockout-threshold=3')
}

async function start(): Promise<void> {
  authority = await createCertificateAuthority('CN=Authority of Samba')
  const { cert, key } = await authority.issue({ names: [{ type: 'dns', value: 'localhost' }] })
  const [certFile, keyFile] = [join(folder, 'server.pem'), join(folder, 'server.key')]
  await writeFile(certFile, cert)
  await writeFile(keyFile, key, { mode: 0o600 })
  await writeFile(join(folder, 'ca.pem'), authority.cert)
  const settings = {
    ...{ 'server services': 'ldap', interfaces: '127.0.0.1', 'bind interfaces only': 'yes' },
    ...{ 'pid directory': folder, 'ncalrpc dir': join(folder, 'ncalrpc') },
    ...{ 'tls certfile': certFile, 'tls keyfile': keyFile, 'tls cafile': join(folder, 'ca.pem') },
  }
  server = spawn('samba', [
    ...['-i', '-M', 'single', '-s', join(folder, 'etc/smb.conf')],
    ...Object.entries(settings).map(([name, value]) => `--option=${name}=${value}`),
  ])
  const until = Date.now() + 30_000
  for (;;) {
    const client = new Client({ url: URLS.ldaps, tlsOptions: { ca: authority.cert }, connectTimeout: 1_000 })
    try {
      return await client.bind(OWN.dn, OWN.password)
    } catch (error) {
      if (Date.now() > until) throw error
      await setTimeout(200)
    } finally {
      await client.unbind().catch(() => undefined)
    }
  }
}

function set(more: object = {}): void {
  federation.providers.set('ldap', {
    ...{ ...PROVIDER, type: 'ldap', issuer: BASE, clientId: OWN.dn, clientSecret: OWN.password },
    ...{ clientAuthentication: 'simple_bind', scopes: [], subjectClaim: 'objectGUID', baseDn: BASE },
    ...{ certificates: [authority.certificate.raw.toString('base64')], servers: [URLS.ldaps] },
    ...{ objectClass: 'user', nameAttributes: ['sAMAccountName', 'userPrincipalName', 'mail'], ...more },
  })
}

const signIn = (name: string, password = PASSWORD) =>
  federation.verifyPassword({ providerId: 'ldap', organizationId: 'acme', name, password })

describe.runIf(canRun)('Samba', () => {
  beforeAll(async () => {
    federation = await runFederation({ limits: { refusalMs: 0 } })
    await provision()
    await start()
  }, 180_000)
  afterAll(async () => {
    server?.kill()
    await federation?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true })
  })
  beforeEach(() => set())

  it.each(['ldaps', 'startTls'] as const)('accepts the password of a person by %s', async (way) => {
    set({ servers: [URLS[way]] })
    const { assertion, refusal } = await signIn('alice')
    expect(refusal).toBeUndefined()
    expect(assertion?.subject).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(assertion?.profile).toMatchObject({ email: 'alice@ad.example.org' })
    for (const name of ['ALICE', 'alice@ad.example.org'])
      expect((await signIn(name)).assertion?.subject).toBe(assertion?.subject)
    expect((await signIn('alice', 'wrong')).refusal?.rule).toBe('password_wrong')
  })

  it('has the groups of a person, and with the rule in the chain those around them', async () => {
    set({ groupsClaim: 'memberOf' })
    expect((await signIn('alice')).assertion?.groups).toEqual([group('inner')])
    set({ groupsClaim: NESTED })
    expect((await signIn('alice')).assertion?.groups.toSorted()).toEqual([group('inner'), group('outer')])
  })

  it.each([
    ['disabled', 'account_disabled'],
    ['stale', 'password_expired'],
    ['expired', 'account_expired'],
  ])('refuses a person who is %s: %s', async (name, rule) => {
    expect((await signIn(name)).refusal).toMatchObject({ rule, wrongCredentials: true })
  })

  it('refuses a person whom the server has locked, with the right password too', async () => {
    for (let time = 0; time < 3; time += 1)
      expect((await signIn('locked', 'wrong')).refusal?.rule).toBe('password_wrong')
    expect((await signIn('locked')).refusal?.rule).toBe('account_locked')
  })

  it.each(['*', 'a*', '*)(objectClass=*', 'alice)(|(cn=*', '\\2a', 'AD\\alice', `CN=alice,CN=Users,${BASE}`])(
    'finds no person by %s',
    async (name) => {
      expect((await signIn(name)).refusal?.rule).toBe('person_unknown')
    },
  )

  it('is not asked with a wrong password of the provider, nor without the right authority', async () => {
    set({ clientSecret: 'another one' })
    expect((await signIn('alice')).refusal?.rule).toBe('own_bind_refused')
    set({ certificates: [] })
    expect((await signIn('alice')).refusal?.rule).toBe('server_certificate_refused')
  })
})
