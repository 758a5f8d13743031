// A real server of OpenLDAP verifies passwords. `npm run test:interop` runs it where slapd is installed, with the modules and schemas of
// Debian's package, and names it where it is not.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createCertificateAuthority } from '@signet/testing/client-certificates'
import { freePort } from '@signet/testing/free-port'
import { Client } from 'ldapts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PROVIDER, type RunningFederation, runFederation } from './fixtures/running-federation.ts'

const canRun = (process.env.SIGNET_TEST_INTEROP?.split(',') ?? []).includes('slapd')

const BASE = 'dc=example,dc=org'
const OWN = { dn: `cn=signet,${BASE}`, password: 'the-password-of-signet' }
const PASSWORD = 'the password of alice'
const SCHEMAS = ['core', 'cosine', 'inetorgperson', 'nis']

let folder: string
let server: ChildProcess
let federation: RunningFederation
let urls: { readonly ldaps: string; readonly startTls: string }
let authority: Awaited<ReturnType<typeof createCertificateAuthority>>

const configuration = () => `${SCHEMAS.map((name) => `include /etc/ldap/schema/${name}.schema`).join('\n')}
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
TLSCertificateFile ${join(folder, 'server.pem')}
TLSCertificateKeyFile ${join(folder, 'server.key')}
database mdb
suffix ${BASE}
rootdn ${OWN.dn}
rootpw ${OWN.password}
directory ${join(folder, 'data')}
overlay memberof
memberof-group-oc groupOfNames
`

async function startSlapd(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'signet-slapd-'))
  await mkdir(join(folder, 'data'))
  authority = await createCertificateAuthority('CN=Authority of slapd')
  const { cert, key } = await authority.issue({ names: [{ type: 'dns', value: 'localhost' }] })
  await writeFile(join(folder, 'server.pem'), cert)
  await writeFile(join(folder, 'server.key'), key)
  await writeFile(join(folder, 'slapd.conf'), configuration())
  const [secure, plain] = [await freePort(), await freePort()]
  urls = { ldaps: `ldaps://localhost:${secure}`, startTls: `ldap://localhost:${plain}` }
  const listeners = `${urls.ldaps}/ ${urls.startTls}/`
  server = spawn('slapd', ['-f', join(folder, 'slapd.conf'), '-h', listeners, '-d', '0'])
  const until = Date.now() + 10_000
  for (;;) {
    try {
      return await fill()
    } catch (error) {
      if (Date.now() > until) throw error
      await setTimeout(100)
    }
  }
}

/** Adds a person with the groups of both kinds. */
async function fill(): Promise<void> {
  const client = new Client({ url: urls.ldaps, tlsOptions: { ca: authority.cert }, connectTimeout: 1_000 })
  try {
    await client.bind(OWN.dn, OWN.password)
    await client.add(BASE, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' })
    const person = {
      ...{ objectClass: ['inetOrgPerson', 'posixAccount'], uid: 'alice', cn: 'Alice Meier', sn: 'Meier' },
      ...{ mail: 'alice@example.org', userPassword: PASSWORD, uidNumber: '1', gidNumber: '500' },
      homeDirectory: '/home/alice',
    }
    await client.add(`uid=alice,${BASE}`, person)
    const member = `uid=alice,${BASE}`
    await client.add(`cn=staff,${BASE}`, { objectClass: 'groupOfNames', cn: 'staff', member })
    const posix = (cn: string, more: Record<string, string>) =>
      client.add(`cn=${cn},${BASE}`, { objectClass: 'posixGroup', cn, ...more })
    await posix('primary', { gidNumber: '500' })
    await posix('second', { gidNumber: '501', memberUid: 'alice' })
  } finally {
    await client.unbind()
  }
}

function set(more: object = {}): void {
  federation.providers.set('ldap', {
    ...{ ...PROVIDER, type: 'ldap', issuer: BASE, clientId: OWN.dn, clientSecret: OWN.password },
    ...{ clientAuthentication: 'simple_bind', scopes: [], subjectClaim: 'entryUUID', baseDn: BASE },
    ...{ certificates: [authority.certificate.raw.toString('base64')], servers: [urls.ldaps] },
    ...{ objectClass: 'inetOrgPerson', nameAttributes: ['uid', 'mail'], ...more },
  })
}

const signIn = (name: string, password: string) =>
  federation.verifyPassword({ providerId: 'ldap', organizationId: 'acme', name, password })

describe.runIf(canRun)('slapd', () => {
  beforeAll(async () => {
    federation = await runFederation({ limits: { refusalMs: 0 } })
    await startSlapd()
  }, 60_000)
  afterAll(async () => {
    server?.kill()
    await federation?.stop()
    if (folder !== undefined) await rm(folder, { recursive: true })
  })
  beforeEach(() => set())

  it.each(['ldaps', 'startTls'] as const)('accepts the password of a person by %s', async (way) => {
    set({ servers: [urls[way]] })
    const { assertion, refusal } = await signIn('alice', PASSWORD)
    expect(refusal).toBeUndefined()
    expect(assertion?.subject).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(assertion?.profile).toMatchObject({ userName: 'alice', email: 'alice@example.org' })
    expect((await signIn('ALICE@example.org', PASSWORD)).assertion?.subject).toBe(assertion?.subject)
    expect((await signIn('alice', 'wrong')).refusal?.rule).toBe('password_wrong')
  })

  it.each(['*', 'a*', '*)(uid=*', 'alice)(|(uid=*', '\\2a'])('finds no person by %s', async (name) => {
    expect((await signIn(name, PASSWORD)).refusal?.rule).toBe('person_unknown')
  })

  it('has groups of both kinds', async () => {
    set({ groupsClaim: 'memberOf' })
    expect((await signIn('alice', PASSWORD)).assertion?.groups).toEqual([`cn=staff,${BASE}`])
    set({ groupsClaim: 'posixGroup' })
    expect((await signIn('alice', PASSWORD)).assertion?.groups).toEqual(['primary', 'second'])
  })

  it('is not asked with a wrong password of the provider, nor without the right authority', async () => {
    set({ clientSecret: 'another one' })
    expect((await signIn('alice', PASSWORD)).refusal?.rule).toBe('own_bind_refused')
    set({ certificates: [] })
    expect((await signIn('alice', PASSWORD)).refusal?.rule).toBe('server_certificate_refused')
  })
})
