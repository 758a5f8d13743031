import { entryMessage, referenceMessage, resultMessage } from '@signet/testing/ldap-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  ALICE,
  activeDirectoryPerson,
  BASE,
  createLdapEnvironment,
  type LdapEnvironment,
  OWN,
} from './fixtures/ldap-environment.ts'

let on: LdapEnvironment
beforeAll(async () => {
  on = await createLdapEnvironment()
})
beforeEach(() => on.set())
afterAll(() => on?.stop())

const PASSWORD = ALICE.password ?? ''
const [BIND, SEARCH, EXTENDED] = [0x61, 0x65, 0x78]

describe('a sign-in', () => {
  it('asserts the person whose password the server accepts', async () => {
    const { assertion } = await on.signIn('Alice', PASSWORD)
    expect(assertion).toMatchObject({
      ...{ providerId: 'ldap', issuer: BASE, subject: '0b5c6e1c-7f0c-4d5e-9a4b-2f6d0e8c1a33' },
      ...{ amr: ['pwd'], tokenSubject: '', sessionId: '' },
      profile: {
        ...{ userName: 'alice', givenName: 'Alice', familyName: 'Meier', displayName: 'Alice Meier' },
        ...{ email: 'alice@example.org', emailVerified: false },
      },
    })
    expect(Number(assertion?.authenticatedAt?.seconds)).toBe(Math.floor(on.clock.now().getTime() / 1_000))
    expect(on.server.requests.every(({ isSecure }) => isSecure)).toBe(true)
    expect(on.passwords()).toEqual([PASSWORD])
    await expect.poll(() => on.server.connections()).toBe(0)
  })

  it('finds people by each attribute of the provider, and by no other one', async () => {
    expect((await on.signIn('alice@example.org', PASSWORD)).assertion).toBeDefined()
    expect(await on.ruleOf('Meier')).toBe('person_unknown')
  })

  it('by StartTLS sends name and password only after TLS', async () => {
    on.set({ servers: [on.startTlsUrl] })
    expect((await on.signIn('alice', PASSWORD)).assertion).toBeDefined()
    // One connection.
    expect(on.plain.requests.filter(({ isSecure }) => !isSecure).map(({ kind }) => kind)).toEqual([
      'startTls',
    ])
  })

  it('takes the attributes that the provider maps', async () => {
    on.set({ mappedClaims: [{ name: 'user_name', value: 'employeeNumber' }] })
    const attributes = { ...ALICE.attributes, employeenumber: 'E-7' }
    on.server.entries = [OWN, { ...ALICE, attributes }]
    expect((await on.signIn('alice', PASSWORD)).assertion?.profile?.userName).toBe('E-7')
  })

  it('requires the values of attributes that the provider demands, after the password', async () => {
    const demand = (value: string) =>
      on.set({ requiredClaims: [{ name: 'memberOf', value: `cn=${value},ou=groups,${BASE}` }] })
    demand('staff')
    expect((await on.signIn('alice', PASSWORD)).assertion).toBeDefined()
    demand('board')
    expect(await on.ruleOf()).toBe('required_claim_differs')
    expect(await on.ruleOf('alice', 'wrong')).toBe('password_wrong')
  })

  it('writes neither name, password nor the text of the server to the log', async () => {
    const before = on.federation.lines.length
    on.server.reply = ({ kind, dn, password }, id) =>
      kind === 'bind' && dn === ALICE.dn ? resultMessage(id, BIND, 49, `no: ${password}`) : undefined
    expect(await on.ruleOf('alice', 'never in a log')).toBe('password_wrong')
    on.server.reply = ({ kind, dn, password }, id) =>
      kind === 'bind' && dn === ALICE.dn ? resultMessage(id, BIND, 51, `no: ${password}`) : undefined
    expect(await on.ruleOf('alice', 'never in a log')).toBe('provider_failed')
    const lines = JSON.stringify(on.federation.lines.slice(before))
    expect(lines).toContain('upstream_password_refused')
    expect(lines).not.toMatch(/never in a log|"alice"/)
  })
})

describe('groups', () => {
  const GROUP = (name: string, members: readonly string[]) => ({
    dn: `CN=${name},OU=Groups,${BASE}`,
    attributes: { objectClass: ['top', 'group'], cn: name, member: members },
  })

  it('are the values of an attribute', async () => {
    on.set({ groupsClaim: 'memberof' })
    expect((await on.signIn('alice', PASSWORD)).assertion?.groups).toEqual([`cn=staff,ou=groups,${BASE}`])
  })

  it('are read as the provider, and only after the password where a search finds them', async () => {
    const acts = () => on.server.requests.map(({ kind, dn }) => (kind === 'bind' ? dn : kind))
    await on.signIn('alice', PASSWORD)
    expect(acts()).toEqual([OWN.dn, 'search', ALICE.dn])
    on.set({ groupsClaim: 'posixGroup' })
    await on.signIn('alice', 'wrong')
    expect(acts()).toEqual([OWN.dn, 'search', ALICE.dn])
    on.set({ groupsClaim: 'posixGroup' })
    await on.signIn('alice', PASSWORD)
    expect(acts()).toEqual([OWN.dn, 'search', ALICE.dn, OWN.dn, 'search'])
  })

  it('are not read as the person when the server refuses the provider meanwhile', async () => {
    on.set({ groupsClaim: 'posixGroup' })
    let binds = 0
    on.server.reply = ({ kind, dn }, id) => {
      if (kind !== 'bind' || dn !== OWN.dn) return undefined
      binds += 1
      return binds === 1 ? undefined : resultMessage(id, BIND, 49)
    }
    expect((await on.signIn('alice', PASSWORD)).refusal).toMatchObject({
      ...{ rule: 'own_bind_refused', wrongCredentials: false },
    })
  })

  it('are those that have the person as a member by others', async () => {
    on.set({ groupsClaim: 'memberOf:1.2.840.113556.1.4.1941:' })
    const inner = GROUP('Inner', [ALICE.dn])
    on.server.entries = [OWN, ALICE, inner, GROUP('Outer', [inner.dn]), GROUP('Other', [OWN.dn])]
    expect((await on.signIn('alice', PASSWORD)).assertion?.groups).toEqual([
      `CN=Inner,OU=Groups,${BASE}`,
      `CN=Outer,OU=Groups,${BASE}`,
    ])
  })

  it('are the POSIX groups of the name and of the primary number', async () => {
    on.set({ groupsClaim: 'posixGroup' })
    const posix = (cn: string, attributes: object) => ({
      dn: `cn=${cn},${BASE}`,
      attributes: { objectClass: 'posixGroup', cn, ...attributes },
    })
    on.server.entries = [
      ...[OWN, ALICE, posix('primary', { gidNumber: '500' })],
      ...[
        posix('second', { gidNumber: '501', memberUid: ['bob', 'alice'] }),
        posix('third', { gidNumber: '502' }),
      ],
    ]
    expect((await on.signIn('alice', PASSWORD)).assertion?.groups).toEqual(['primary', 'second'])
  })

  it('refuses a person with more than it can read', async () => {
    on.set({ groupsClaim: 'memberOf' })
    const memberOf = Array.from({ length: 201 }, (_, at) => `cn=${at},${BASE}`)
    on.server.entries = [OWN, { ...ALICE, attributes: { ...ALICE.attributes, memberOf } }]
    expect(await on.ruleOf()).toBe('too_many_groups')
    const { memberOf: _, ...others } = ALICE.attributes
    const inParts = { ...others, 'memberOf;range=0-1499': memberOf }
    on.server.entries = [OWN, { ...ALICE, attributes: inParts }]
    expect(await on.ruleOf()).toBe('too_many_groups')
  })
})

describe('names and passwords', () => {
  it.each(['*', 'ali*', '*)(uid=*', 'alice)(|(uid=*', '\\2a', 'alice\\00', '(', '&', 'alice,dc=example'])(
    'compares %s as it is [CVE-2026-25560, CVE-2026-40459, CVE-2026-46619]',
    async (name) => {
      expect(await on.ruleOf(name)).toBe('person_unknown')
      const asked = on.server.requests.filter(({ kind }) => kind === 'search').map(({ filter }) => filter)
      expect(asked).toHaveLength(1)
      // The two comparisons of the provider, and no third one.
      expect(asked[0]?.match(/\(uid=/g)).toHaveLength(1)
      expect(on.passwords()).toEqual([])
    },
  )

  it.each(['', ' ', 'a\nb', '\u202ealice', 'a'.repeat(301)])('sends no name %j', async (name) => {
    expect(await on.ruleOf(name)).toBe('name_malformed')
    expect(on.server.requests).toEqual([])
  })

  it('finds a name of other letters and binds as the DN that the server has', async () => {
    const dn = `uid=J\\C3\\BCrg\\, "the+one" <x>;=#,ou=people,${BASE}`
    const attributes = { ...ALICE.attributes, uid: 'jürg', mail: 'j@example.org' }
    on.server.entries = [OWN, { dn, password: PASSWORD, attributes }]
    expect((await on.signIn('jürg', PASSWORD)).assertion).toBeDefined()
    expect(on.server.requests.at(-1)).toMatchObject({ kind: 'bind', dn })
  })

  it('sends no empty password, which the server would accept', async () => {
    expect(await on.ruleOf('alice', '')).toBe('password_missing')
    expect(on.server.requests).toEqual([])
    on.set({ clientSecret: '' })
    expect(await on.ruleOf()).toBe('own_bind_refused')
    expect(on.server.requests).toEqual([])
  })

  it('refuses a person without one entry as it refuses a wrong password', async () => {
    const same = { temporary: false, declined: false, wrongCredentials: true }
    expect((await on.signIn('nobody', PASSWORD)).refusal).toMatchObject(same)
    expect((await on.signIn('alice', 'wrong')).refusal).toMatchObject({ ...same, rule: 'password_wrong' })
    on.server.entries = [OWN, ALICE, { ...ALICE, dn: `uid=alice,ou=other,${BASE}` }]
    expect((await on.signIn('alice', PASSWORD)).refusal).toMatchObject({ ...same, rule: 'person_ambiguous' })
  })

  it.each([
    ['no subject', { entryUUID: [] }],
    ['groups in parts', { memberOf: [], 'memberOf;range=0-1499': [BASE] }],
    ['a malformed account state', { userAccountControl: 'none' }],
  ])('say nothing of an entry with %s before its password', async (_, more) => {
    on.set({ groupsClaim: 'memberOf', requiredClaims: [{ name: 'memberOf', value: BASE }] })
    on.server.entries = [OWN, { ...ALICE, attributes: { ...ALICE.attributes, ...more } }]
    expect(await on.attemptKey('alice')).toBe(await on.attemptKey('alice@example.org'))
    expect(await on.attemptKey('alice')).not.toBe('')
    expect((await on.signIn('alice', 'wrong')).refusal?.wrongCredentials).toBe(true)
    expect((await on.signIn('alice', PASSWORD)).assertion).toBeUndefined()
  })

  it('answers a refusal after the least time only', async () => {
    const slow = await createLdapEnvironment({ refusalMs: 400 })
    const timed = async (name: string, password: string) => {
      const before = performance.now()
      await slow.signIn(name, password)
      return performance.now() - before
    }
    const refused = [await timed('nobody', 'x'), await timed('alice', 'x'), await timed('alice', '')]
    for (const ms of refused) expect(ms).toBeGreaterThanOrEqual(395)
    await slow.stop()
  })

  it('counts the names of one entry together, and unknown ones apart', async () => {
    const [key] = [await on.attemptKey('alice')]
    expect(await on.attemptKey('ALICE@example.org ')).toBe(key)
    const others = [await on.attemptKey('nobody'), await on.attemptKey('NOBODY '), await on.attemptKey('x')]
    expect(others[0]).toBe(others[1])
    expect(new Set([key, ...others]).size).toBe(3)
    expect(on.passwords()).toEqual([])
  })
})

describe('accounts of Active Directory', () => {
  const bob = (more: Parameters<typeof activeDirectoryPerson>[0] = {}) => {
    on.set({ subjectClaim: 'objectGUID', nameAttributes: ['sAMAccountName'] })
    on.server.entries = [OWN, activeDirectoryPerson(more)]
    return on.signIn('bob', 'the password of bob')
  }

  it('have the GUID in its canonical form as subject', async () => {
    const { assertion } = await bob()
    expect(assertion?.subject).toBe('03020100-0504-0706-0809-0a0b0c0d0e0f')
    expect(assertion?.profile?.userName).toBe('bob')
  })

  /** 100 nanoseconds since 1601. */
  const filetime = (at: Date) => `${(BigInt(at.getTime()) + 11_644_473_600_000n) * 10_000n}`

  it.each([
    ['account_disabled', { userAccountControl: '514' }],
    ['account_locked', { 'msDS-User-Account-Control-Computed': '16' }],
    ['password_expired', { 'msDS-User-Account-Control-Computed': '8388608' }],
    ['account_expired', { accountExpires: '1' }],
    ['account_disabled', { nsAccountLock: 'TRUE' }],
  ])('are refused by %s before the password is sent', async (rule, more) => {
    expect((await bob(more)).refusal).toMatchObject({ rule, wrongCredentials: true })
    expect(on.passwords()).toEqual([])
  })

  it('expire at their time', async () => {
    const at = (seconds: number) => filetime(new Date(on.clock.now().getTime() + seconds * 1_000))
    expect((await bob({ accountExpires: at(60) })).assertion).toBeDefined()
    expect((await bob({ accountExpires: at(-1) })).refusal?.rule).toBe('account_expired')
    expect((await bob({ accountExpires: '0' })).assertion).toBeDefined()
  })

  it.each([
    ['533', 'account_disabled'],
    ['775', 'account_locked'],
    ['773', 'password_expired'],
    ['52e', 'password_wrong'],
  ])('have the reason %s of the server in the log: %s', async (code, rule) => {
    on.set()
    on.server.reply = ({ kind, dn }, id) =>
      kind === 'bind' && dn === ALICE.dn
        ? resultMessage(
            id,
            BIND,
            49,
            `80090308: LdapErr: DSID-0C090446, comment: AcceptSecurityContext error, data ${code}, v4563`,
          )
        : undefined
    expect(await on.ruleOf()).toBe(rule)
  })

  it.each([
    ['no GUID', { objectGUID: [] }],
    ['a short GUID', { objectGUID: Buffer.from([1, 2]) }],
    ['two GUIDs', { objectGUID: [Buffer.alloc(16, 1), Buffer.alloc(16, 2)] }],
  ])('are refused with %s', async (_, more) => {
    expect((await bob(more)).refusal?.rule).toBe('subject_missing')
  })

  it.each(['uid', 'mail', 'sAMAccountName', 'objectSid'])(
    'are not identified by %s',
    async (subjectClaim) => {
      on.set({ subjectClaim })
      expect(await on.ruleOf()).toBe('subject_missing')
    },
  )
})

describe('servers', () => {
  it('of another host name are not trusted [CVE-2026-35563]', async () => {
    on.set({ servers: [`ldaps://127.0.0.1:${on.server.port}`] })
    expect(await on.ruleOf()).toBe('server_certificate_refused')
    on.set({ servers: [`ldap://127.0.0.1:${on.plain.port}`] })
    expect(await on.ruleOf()).toBe('server_certificate_refused')
    expect(on.server.requests).toEqual([])
    expect(on.plain.requests.filter(({ kind }) => kind !== 'startTls')).toEqual([])
  })

  it('of another authority are not trusted', async () => {
    on.set({ certificates: [] })
    expect(await on.ruleOf()).toBe('server_certificate_refused')
    expect(on.server.requests).toEqual([])
  })

  it('that do not start TLS get no name and no password', async () => {
    on.set({ servers: [on.startTlsUrl] })
    on.plain.reply = ({ kind }, id) => (kind === 'startTls' ? resultMessage(id, EXTENDED, 2) : undefined)
    expect(await on.ruleOf()).toBe('start_tls_refused')
    expect(on.plain.requests).toHaveLength(1)
    on.plain.reply = undefined
    on.plain.stripsTls = true
    expect((await on.signIn('alice', PASSWORD)).refusal?.temporary).toBe(true)
    expect(on.plain.requests.filter(({ kind }) => kind !== 'startTls')).toEqual([])
  })

  it('send nothing before TLS that is read after it', async () => {
    on.set({ servers: [on.startTlsUrl] })
    // The beginning of a successful bind with a value that swallows what follows.
    on.plain.reply = ({ kind }, id) =>
      kind === 'startTls'
        ? Buffer.concat([
            resultMessage(id, EXTENDED, 0),
            Buffer.from([
              0x30,
              0x60,
              0x02,
              0x01,
              id + 1,
              0x61,
              0x5b,
              0x0a,
              0x01,
              0x00,
              0x04,
              0x00,
              0x04,
              0x54,
            ]),
          ])
        : undefined
    const rule = await on.ruleOf('alice', 'wrong')
    expect(['password_wrong', 'provider_away', 'server_certificate_refused']).toContain(rule)
  })

  it('are asked in turn while they are away, and accept no one', async () => {
    const away = 'ldaps://localhost:1'
    on.set({ servers: [away, on.url] })
    expect((await on.signIn('alice', PASSWORD)).assertion).toBeDefined()
    on.set({ servers: [away, away] })
    expect((await on.signIn('alice', PASSWORD)).refusal).toMatchObject({
      rule: 'provider_away',
      temporary: true,
    })
  })

  it('that hang are left for the next one', async () => {
    on.set({ servers: [on.startTlsUrl, on.url] })
    on.plain.reply = () => 'hang'
    expect((await on.signIn('alice', PASSWORD)).assertion).toBeDefined()
    await expect.poll(() => on.plain.connections()).toBe(0)
  })

  it.each(['bind', 'search'] as const)('get the password once when they end at a %s', async (when) => {
    on.set({ servers: [on.url, on.url] })
    on.server.reply = ({ kind, dn }) => (kind === when && dn !== OWN.dn ? 'close' : undefined)
    expect((await on.signIn('alice', PASSWORD)).refusal).toMatchObject({
      rule: 'provider_away',
      temporary: true,
    })
    expect(on.passwords().length).toBe(when === 'bind' ? 1 : 0)
  })

  it('are not called at private addresses that the operator does not allow, and never at those of metadata', async () => {
    for (const server of ['ldaps://10.0.0.1', 'ldaps://169.254.169.254', 'ldap://[fd00:ec2::254]']) {
      on.set({ servers: [server] })
      expect(await on.ruleOf()).toBe('address_refused')
    }
  })

  it('refer to no other host', async () => {
    const other = `ldaps://localhost:${on.plain.port}/${BASE}`
    on.server.reply = ({ kind }, id) =>
      kind === 'search' ? resultMessage(id, SEARCH, 10, '', other) : undefined
    expect(await on.ruleOf()).toBe('referral_refused')
    on.server.reply = ({ kind }, id) =>
      kind === 'search'
        ? Buffer.concat([referenceMessage(id, other), resultMessage(id, SEARCH, 0)])
        : undefined
    expect(await on.ruleOf()).toBe('person_unknown')
    on.server.reply = ({ kind, dn }, id) =>
      kind === 'bind' && dn === ALICE.dn ? resultMessage(id, BIND, 10, '', other) : undefined
    expect(await on.ruleOf()).toBe('referral_refused')
    expect(on.plain.requests).toEqual([])
  })

  it('that answer too much are left', async () => {
    on.server.reply = ({ kind, attributes = [] }, id) => {
      if (kind !== 'search') return undefined
      const huge = { ...ALICE, attributes: { ...ALICE.attributes, cn: 'x'.repeat(70_000) } }
      return Buffer.concat(Array.from({ length: 20 }, () => entryMessage(id, huge, attributes)))
    }
    expect(await on.ruleOf()).toBe('answer_too_long')
  })

  it('that answer many small messages do not stop the service', async () => {
    on.server.reply = ({ kind }, id) =>
      kind === 'search'
        ? Buffer.concat([
            ...Array.from({ length: 60_000 }, () => resultMessage(0, SEARCH, 0)),
            resultMessage(id, SEARCH, 0),
          ])
        : undefined
    expect(['person_unknown', 'answer_too_long', 'provider_away']).toContain(await on.ruleOf())
  })

  // The parser of ldapts does not end at most of these.
  it.each([
    ['a bind response', '61', '0a01000400040004820fff', '61080a01000400047f41'],
    ['a bind response of no result', '61', '04', '6109'],
    ['a referral', '73', '04820fff', '730404820fff'],
    ['an attribute', '64', '0401613004300204ff', '6405040161307f'],
    ['an attribute that is none', '64', '040161040104', '64060401610401ff'],
    ['values', '64', '040161300730050401613104', '640e040161300930070401613102047f'],
    ['another kind of message', '63', '0401', '6f00'],
  ])('that answer with lengths beyond %s do not stop the service', async (_, tag, content, operation) => {
    const [octets, whole] = [Buffer.from(content, 'hex'), Buffer.from(operation, 'hex')]
    const long = Buffer.concat([Buffer.from([Number.parseInt(tag, 16), octets.length]), octets])
    for (const part of [long, whole]) {
      on.server.reply = (_request, id) =>
        Buffer.concat([Buffer.from([0x30, 3 + part.length, 0x02, 0x01, id]), part])
      expect(await on.ruleOf()).toBe('answer_malformed')
    }
  })

  it('that answer too much, or many messages at once, before TLS do not stop the service', async () => {
    on.set({ servers: [on.startTlsUrl] })
    on.plain.reply = () => Buffer.concat(Array.from({ length: 9_000 }, () => referenceMessage(0, '')))
    expect((await on.signIn('alice', PASSWORD)).refusal?.temporary).toBe(true)
    on.plain.reply = () => Buffer.concat([Buffer.from('3083ffffff', 'hex'), Buffer.alloc(1_100_000)])
    expect(await on.ruleOf()).toBe('answer_malformed')
    on.plain.reply = () => Buffer.concat([Buffer.from('30830fffff', 'hex'), Buffer.alloc(1_100_000)])
    expect(await on.ruleOf()).toBe('answer_too_long')
  })

  it('that send controls are read without them', async () => {
    on.server.reply = ({ kind, dn }, id) =>
      kind === 'bind' && dn === ALICE.dn
        ? Buffer.from(
            `301a0201${id.toString(16).padStart(2, '0')}61070a010004000400a00c300a0401780405ffffffffff`,
            'hex',
          )
        : undefined
    expect((await on.signIn('alice', PASSWORD)).assertion).toBeDefined()
  })

  it.each([
    ['no messages', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['half a message', Buffer.from([0x30, 0x82, 0x10])],
  ])('that answer %s are away', async (_, octets) => {
    on.server.reply = ({ kind }) => (kind === 'search' ? octets : undefined)
    expect((await on.signIn('alice', PASSWORD)).refusal?.temporary).toBe(true)
  })

  it('have the time of a call for each operation, and not for all of a sign-in', async () => {
    on.set({ groupsClaim: 'posixGroup' })
    on.server.delayMs = 400
    expect((await on.signIn('alice', PASSWORD)).assertion).toBeDefined()
  })

  it('that hang end within the time of a call', async () => {
    on.server.reply = ({ kind }) => (kind === 'search' ? 'hang' : undefined)
    const before = performance.now()
    expect((await on.signIn('alice', PASSWORD)).refusal).toMatchObject({
      rule: 'provider_away',
      temporary: true,
    })
    expect(performance.now() - before).toBeLessThan(5_000)
  })

  it('that do not take the password of the provider are no fault of the person', async () => {
    on.set({ clientSecret: 'another one' })
    expect((await on.signIn('alice', PASSWORD)).refusal).toMatchObject({
      ...{ rule: 'own_bind_refused', wrongCredentials: false },
    })
    expect(on.passwords()).toEqual(['another one'])
  })
})

describe('the provider', () => {
  it('refuses once it is deactivated, and people of other organizations', async () => {
    on.set({ usable: false })
    expect(await on.ruleOf()).toBe('provider_not_usable')
    on.set()
    expect(await on.ruleOf('alice', PASSWORD, { organizationId: 'globex' })).toBe('organization_differs')
    expect(on.server.requests).toEqual([])
  })

  it('has no page of its own, and others take no password', async () => {
    expect((await on.federation.begin('ldap')).refusal?.rule).toBe('provider_type_differs')
    on.set({ type: 'oidc', issuer: 'https://idp.example' })
    expect(await on.ruleOf()).toBe('provider_type_differs')
    on.set()
  })

  it('has no more sign-ins under way than others have', async () => {
    on.server.reply = ({ kind }) => (kind === 'search' ? 'hang' : undefined)
    const person = { providerId: 'ldap', organizationId: 'acme', name: 'alice' }
    const answers = await Promise.all([
      ...Array.from({ length: 30 }, () => on.signIn('alice', PASSWORD)),
      ...Array.from({ length: 25 }, () => on.federation.findPerson(person)),
    ])
    expect(answers.filter(({ refusal }) => refusal?.rule === 'too_many_under_way')).toHaveLength(5)
    await expect.poll(() => on.server.connections()).toBe(0)
  })
})

describe('a test of an administrator', () => {
  const test = (name: string, password: string) =>
    on.federation.testPassword({ providerId: 'ldap', organizationId: 'acme', name, password })

  it('answers the attributes of the entry with the assertion of a sign-in, secrets hidden', async () => {
    on.set({
      ...{ subjectClaim: 'objectGUID', nameAttributes: ['sAMAccountName'] },
      mappedClaims: [{ name: 'nick_name', value: 'unixUserPassword' }],
    })
    on.server.entries = [OWN, activeDirectoryPerson({ unixUserPassword: 'hidden from everyone' })]
    const { assertion, refusal, documents } = await test('bob', 'the password of bob')
    expect([assertion, refusal]).toEqual([
      (await on.signIn('bob', 'the password of bob')).assertion,
      undefined,
    ])
    const [document, ...others] = documents
    expect([document?.name, others]).toEqual(['ldap_entry', []])
    const attributes = JSON.parse(document?.claims ?? '')
    expect(attributes).toMatchObject({
      ...{ dn: `CN=Bob,OU=People,${BASE}`, samaccountname: ['bob'], useraccountcontrol: ['512'] },
      objectguid: ['000102030405060708090a0b0c0d0e0f'],
    })
    expect(JSON.stringify(attributes)).not.toMatch(/hidden from everyone|the password/)
  })

  it('refuses as a sign-in does, and says nothing about the entry then', async () => {
    const refused = await test('alice', 'wrong')
    expect(refused).toMatchObject({
      refusal: { rule: 'password_wrong', wrongCredentials: true },
      documents: [],
    })
    on.set({ usable: false })
    expect((await test('alice', PASSWORD)).refusal?.rule).toBe('provider_not_usable')
  })

  it('is no step of a sign-in in the metrics', async () => {
    const person = { providerId: 'ldap', organizationId: 'acme', name: 'alice' }
    on.set({ clientSecret: 'wrong' })
    for (let time = 0; time < 5; time += 1) {
      await test('alice', PASSWORD)
      await on.federation.findPerson({ ...person, test: true })
    }
    const metrics = await on.federation.metrics.text()
    expect(metrics).toMatch(/^signet_upstream_providers_refusing 0$/m)
    for (const step of ['find_test', 'password_test'])
      expect(metrics).toMatch(
        new RegExp(`^signet_upstream_sign_ins_total\\{step="${step}".*own_bind_refused"\\} 5$`, 'm'),
      )
  })
})
