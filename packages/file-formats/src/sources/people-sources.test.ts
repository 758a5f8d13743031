import { readStoredHash } from '@signet/password-hash/stored-hash'
import { describe, expect, it } from 'vitest'
import { convertAll, problemsOf, sourceFile } from './conversion-fixture.ts'
import { convertFirebase, readFirebaseHashConfig } from './firebase.ts'
import { convertFusionAuth } from './fusionauth.ts'
import { convertKratos } from './kratos.ts'
import { convertLdif } from './ldif.ts'
import { convertSupabase } from './supabase.ts'

const TARGET = { organizationId: 'acme' }
const BCRYPT = '$2a$10$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py'
const SALT = Buffer.alloc(16, 7).toString('base64')

type Converted = Awaited<ReturnType<typeof convertAll>>

/** The lists of a document with their records, in any order of the lists. */
const documentOf = ({ parts, headers }: Converted) => {
  const lists: Record<string, unknown[]> = {}
  for (const part of parts)
    if (part.kind === 'record') lists[part.list] = [...(lists[part.list] ?? []), part.record]
  return JSON.stringify({ orgs: [{ ...headers[0], ...lists }] })
}

/** A person as each of these sources writes the members that all of them know. */
const SOURCES: readonly (readonly [name: string, convert: () => Promise<Converted>])[] = [
  [
    'Firebase',
    () =>
      convertAll(
        convertFirebase,
        [
          sourceFile({
            users: [
              {
                localId: 'u1',
                email: 'ann@acme.example',
                emailVerified: true,
                displayName: 'Ann Example',
                passwordHash: Buffer.alloc(64, 3).toString('base64url'),
                salt: Buffer.alloc(10, 5).toString('base64url'),
                createdAt: '1700000000000',
                providerUserInfo: [
                  { providerId: 'password', rawId: 'ann@acme.example' },
                  { providerId: 'google.com', rawId: '77' },
                ],
              },
            ],
          }),
        ],
        {
          ...TARGET,
          hashConfig: readFirebaseHashConfig(`hash_config {
            algorithm: SCRYPT,
            base64_signer_key: ${Buffer.alloc(64, 1).toString('base64')},
            base64_salt_separator: Bw==,
            rounds: 8,
            mem_cost: 14,
          }`),
        },
      ),
  ],
  [
    'Supabase',
    () =>
      convertAll(
        convertSupabase,
        [
          sourceFile([
            {
              id: 'u1',
              aud: 'authenticated',
              email: 'ann@acme.example',
              email_confirmed_at: '2024-01-01T00:00:00Z',
              encrypted_password: BCRYPT,
              recovery_token: 'x',
              raw_user_meta_data: { full_name: 'Ann Example' },
              raw_app_meta_data: { provider: 'email', providers: ['email'] },
              identities: [{ provider: 'google', provider_id: '77' }],
              created_at: '2023-11-14T22:13:20.000Z',
            },
            { id: 'u2', is_anonymous: true },
          ]),
        ],
        TARGET,
      ),
  ],
  [
    'Kratos',
    () =>
      convertAll(
        convertKratos,
        [
          sourceFile([
            {
              id: 'u1',
              schema_id: 'default',
              state: 'active',
              traits: { email: 'ann@acme.example', display_name: 'Ann Example' },
              verifiable_addresses: [{ value: 'ann@acme.example', verified: true, via: 'email' }],
              credentials: {
                password: { config: { hashed_password: BCRYPT } },
                oidc: { config: { providers: [{ provider: 'google', subject: '77' }] } },
              },
              created_at: '2023-11-14T22:13:20Z',
            },
          ]),
        ],
        TARGET,
      ),
  ],
  [
    'FusionAuth',
    () =>
      convertAll(
        convertFusionAuth,
        [
          sourceFile({
            total: 1,
            users: [
              {
                id: 'u1',
                active: true,
                email: 'ann@acme.example',
                verified: true,
                fullName: 'Ann Example',
                password: Buffer.alloc(32, 9).toString('base64'),
                salt: SALT,
                factor: 24_000,
                encryptionScheme: 'salted-pbkdf2-hmac-sha256',
                insertInstant: 1_700_000_000_000,
              },
            ],
          }),
        ],
        TARGET,
      ),
  ],
  [
    'LDIF',
    () =>
      convertAll(
        convertLdif,
        [
          sourceFile(
            `version: 1

# the person
dn: uid=ann,ou=people,dc=acme,dc=example
objectClass: top
objectClass: inetOrgPerson
entryUUID: u1
cn: Ann Example
sn: Example
mail: ann@acme.exam
 ple
userPassword:: ${Buffer.from(`{CRYPT}${BCRYPT}`).toString('base64')}
createTimestamp: 20231114221320Z
`,
            'people.ldif',
          ),
        ],
        TARGET,
      ),
  ],
]

describe('a source of people', () => {
  it.each(SOURCES)('carries the account, the hash and the date: %s', async (_, convert) => {
    const converted = await convert()
    expect(converted.headers).toEqual([{ orgId: 'acme' }])
    const [person] = converted.records('humanUsers') as unknown as [
      { user: { hashedPassword: { value: string } } },
    ]
    expect(person).toMatchObject({
      userId: 'u1',
      user: { profile: { displayName: 'Ann Example' }, email: { email: 'ann@acme.example' } },
      creationDate: expect.stringMatching(/^2023-11-14T22:13:20/),
    })
    expect(readStoredHash(person.user.hashedPassword.value).format).toBeDefined()
    expect(problemsOf(documentOf(converted))).toEqual([])
  })

  it.each(SOURCES.slice(0, 3))('carries links to other providers: %s', async (_, convert) => {
    const { records } = await convert()
    expect(records('userLinks')).toEqual([
      { userId: 'u1', idpId: expect.stringContaining('google'), providedUserId: '77' },
    ])
  })

  it.each([
    ['Firebase', convertFirebase, { users: [{ unknown: 1 }] }],
    ['Supabase', convertSupabase, [{ unknown: 1 }]],
    ['Kratos', convertKratos, [{ unknown: 1 }]],
    ['FusionAuth', convertFusionAuth, { users: [{ unknown: 1 }] }],
  ] as const)('refuses a file of which no person could be read: %s', async (_, convert, content) => {
    await expect(convertAll(convert, [sourceFile(content)], TARGET)).rejects.toThrow(
      'none of the 1 people in these files could be read',
    )
    await expect(convertAll(convert, [sourceFile(content)], {})).rejects.toThrow('--organization')
  })
})

it('counts the hashes of Firebase without the parameters of the project, and anonymous people keep a name', async () => {
  const { records, kinds } = await convertAll(
    convertFirebase,
    [sourceFile({ users: [{ localId: 'u1', passwordHash: 'abc', salt: 'x' }] })],
    TARGET,
  )
  expect(records('humanUsers')).toEqual([{ userId: 'u1', user: { userName: 'u1' } }])
  expect(kinds).toEqual({
    'users[].password: needs --hash-config with the password hash parameters of the project': 1,
  })
  expect(() => readFirebaseHashConfig('hash_config { rounds: 8 }')).toThrow('has no base64_signer_key')
})

it('reads the second factors of Kratos, Supabase and FusionAuth with their parameters', async () => {
  const kratos = await convertAll(
    convertKratos,
    [
      sourceFile([
        {
          id: 'u1',
          traits: { username: 'ann' },
          credentials: {
            totp: { config: { totp_url: 'otpauth://totp/a:ann?secret=JBSWY3DPEHPK3PXP&digits=8&period=60' } },
          },
        },
      ]),
    ],
    TARGET,
  )
  expect(kratos.records('humanUsers')).toMatchObject([
    { user: { totpDevices: [{ secret: 'JBSWY3DPEHPK3PXP', algorithm: 'SHA1', digits: 8, period: 60 }] } },
  ])
  const factors = [
    { factor_type: 'totp', status: 'verified', secret: 'JBSWY3DPEHPK3PXP' },
    { factor_type: 'phone', status: 'verified' },
  ]
  const supabase = await convertAll(
    convertSupabase,
    [sourceFile([{ id: 'u1', email: 'ann@acme.example', mfa_factors: factors }])],
    TARGET,
  )
  expect(supabase.records('humanUsers')).toMatchObject([{ user: { otpCode: 'JBSWY3DPEHPK3PXP' } }])
  expect(supabase.kinds).toEqual({ 'users[].mfa_factors[] phone': 1 })
  const methods = [
    {
      method: 'authenticator',
      secret: Buffer.from('Hello!\u00de\u00ad\u00be\u00ef', 'latin1').toString('base64'),
      authenticator: { algorithm: 'HmacSHA256', codeLength: 6, timeStep: 30 },
    },
    { method: 'sms' },
  ]
  const fusion = await convertAll(
    convertFusionAuth,
    [
      sourceFile({
        users: [
          {
            id: 'u1',
            email: 'ann@acme.example',
            twoFactor: { methods },
            registrations: [{ applicationId: 'app', roles: ['admin'] }],
          },
        ],
      }),
    ],
    TARGET,
  )
  expect(fusion.records('humanUsers')).toMatchObject([
    { user: { totpDevices: [{ secret: 'JBSWY3DPEHPK3PXP', algorithm: 'SHA256' }] } },
  ])
  expect(fusion.records('userGrants')).toMatchObject([{ roleKeys: ['app:admin'] }])
  expect(fusion.kinds).toEqual({ 'users[].twoFactor.methods[] sms': 1 })
})

it('refuses a line that is nested too deep, as it does an array', async () => {
  const deep = `{"id":"u1","traits":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`
  for (const text of [`{"id":"u2","traits":{}}\n${deep}\n`, `[${deep}]`]) {
    const converted = convertAll(convertKratos, [sourceFile(text, 'people.json')], TARGET)
    await expect(converted).rejects.toThrow('is nested deeper than 64 levels')
  }
})

it('reads past values that are no times and no names', async () => {
  const odd = { toString: 1, valueOf: 1 }
  const person = { id: 'u1', email: 'ann@acme.example' }
  const fusionAuth = { ...person, insertInstant: 1e300, twoFactor: { methods: [{ method: odd }] } }
  const supabase = { ...person, mfa_factors: [{ factor_type: odd }] }
  const converted = [
    await convertAll(convertFusionAuth, [sourceFile({ users: [fusionAuth] })], TARGET),
    await convertAll(convertSupabase, [sourceFile({ users: [supabase] })], TARGET),
  ]
  for (const { records } of converted) expect(records('humanUsers')).toHaveLength(1)
  expect(converted.map(({ kinds }) => kinds)).toEqual([
    { 'users[].twoFactor.methods[] of no method': 1 },
    { 'users[].mfa_factors[] of no type': 1 },
  ])
})

describe('LDIF', () => {
  const convert = (...files: readonly string[]) =>
    convertAll(
      convertLdif,
      files.map((text, at) => sourceFile(text, `${at}.ldif`)),
      TARGET,
    )

  it('makes roles of groups, also of a group before its members and in another file', async () => {
    const group = `dn: cn=staff,dc=acme
objectClass: groupOfNames
cn: staff
member: UID=ann,dc=acme
member: uid=gone,dc=acme
`
    const person = `dn: uid=ann,dc=acme
objectClass: person
uid: ann
entryUUID: u1
`
    const { records, kinds } = await convert(group, person)
    expect(records('userGrants')).toEqual([{ userId: 'u1', projectId: 'acme-ldif', roleKeys: ['staff'] }])
    expect(records('projectRoles')).toEqual([{ projectId: 'acme-ldif', roleKey: 'staff' }])
    expect(kinds).toEqual({ 'members of groups that are no people here': 1 })
  })

  it('reads people of Active Directory, disabled ones inactive, and no hash as metadata', async () => {
    const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex').toString('base64')
    const { records, kinds } = await convert(`dn: CN=Ann,DC=corp
objectClass: person
objectClass: user
objectGUID:: ${guid}
sAMAccountName: ann
userAccountControl: 514
unicodePwd:: c2VjcmV0
department: IT
mail: ann@corp.example
mail: second@corp.example
`)
    expect(records('humanUsers')).toMatchObject([
      {
        userId: '33221100-5544-7766-8899-aabbccddeeff',
        user: { userName: 'ann' },
        state: 'USER_STATE_INACTIVE',
      },
    ])
    expect(records('userMetadata').map(({ key }) => key)).toEqual(['department'])
    expect(kinds).toEqual({ 'entries of people.mail, a further value': 1, 'entries of people.unicodepwd': 1 })
  })

  it('makes different roles of groups of one name in different branches', async () => {
    const groupOf = (branch: string, member: string) =>
      `dn: cn=admins,ou=${branch}\nobjectClass: group\ncn: admins\nmember: uid=${member}\n`
    const person = (uid: string) => `dn: uid=${uid}\nobjectClass: person\nuid: ${uid}\nentryUUID: ${uid}\n`
    const { records } = await convert(
      groupOf('wiki', 'ann'),
      groupOf('bank', 'bob'),
      person('ann'),
      person('bob'),
    )
    expect(records('userGrants').map(({ userId, roleKeys }) => [userId, roleKeys])).toEqual([
      ['ann', ['cn=admins,ou=wiki']],
      ['bob', ['cn=admins,ou=bank']],
    ])
  })

  it('keeps people inactive whom an administrator locked, and names those whose account ends', async () => {
    const person = (line: string) => `dn: uid=a${line}\nobjectClass: person\nuid: ann\n${line}\n`
    const lines = ['pwdAccountLockedTime: 000001010000Z', 'pwdAccountLockedTime: 20300101000000Z']
    const ends = ['accountExpires: 133000000000000000', 'accountExpires: 9223372036854775807']
    const { records, kinds } = await convert(...[...lines, ...ends].map(person))
    expect(records('humanUsers').map(({ state }) => state)).toEqual([
      'USER_STATE_INACTIVE',
      ...Array(3).fill('USER_STATE_ACTIVE'),
    ])
    expect(kinds).toEqual({ 'entries of people.accountexpires': 1 })
  })

  it('reads a group of many members in time', async () => {
    const members = Array.from({ length: 100_000 }, (_, at) => `member: uid=${at}`).join('\n')
    const { kinds } = await convert(`dn: cn=all\nobjectClass: group\ncn: all\n${members}\n`)
    expect(kinds).toEqual({ 'members of groups that are no people here': 100_000 })
  })

  it('refuses another file with its line', async () => {
    await expect(convert('dn: uid=a,dc=b\nobjectClass: person\n\nno entry\n')).rejects.toThrow(
      '0.ldif: line 4 is not LDIF',
    )
  })
})
