import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertAll, documentOf, problemsOf, sourceFile } from './conversion-fixture.ts'
import { convertCsv } from './csv.ts'
import { readCsvMapping } from './csv-mapping.ts'
import { csvPreset, suggestedMapping } from './csv-presets.ts'

const HASH = '$2b$10$CwTycUXWue0Thq9StjUM0uJ4Xq5Y0hZ1e6Zz1cN4b0Yx6m3p7qK9i'
const ORGANIZATION = { id: 'acme', name: 'ACME' }
const mappingOf = (columns: object, more: object = {}) =>
  readCsvMapping({ organization: ORGANIZATION, columns, ...more })
const convert = (text: string, mapping: ReturnType<typeof readCsvMapping>) =>
  convertAll(convertCsv, [sourceFile(text, 'users.csv')], { mapping })

describe('convertCsv', () => {
  it('converts rows by the mapping of their columns', async () => {
    const mapping = mappingOf(
      {
        id: 'userId',
        login: { to: 'userName', steps: ['trim', 'lower'] },
        mail: 'email',
        proven: 'isEmailVerified',
        hash: 'passwordHash',
        groups: 'roles',
        active: 'isActive',
        plan: 'metadata.plan',
      },
      { ignore: ['row'], constants: { preferredLanguage: 'de' } },
    )
    const { parts, records, headers, kinds } = await convert(
      `\ufeffid,login,mail,proven,hash,groups,active,plan,row,shoe size\r\n` +
        `u1," Ann ",ann@acme.example,yes,${HASH},"reader; editor",1,"gold, ""old""\nand more",1,39\r\n` +
        `u2,ben,no address,no,unknown-hash,,0,,2,44\r\n`,
      mapping,
    )
    expect(headers).toEqual([{ orgId: 'acme', org: { name: 'ACME' } }])
    expect(records('humanUsers')).toEqual([
      {
        userId: 'u1',
        user: {
          userName: 'ann',
          profile: { preferredLanguage: 'de' },
          email: { email: 'ann@acme.example', isEmailVerified: true },
          hashedPassword: { value: HASH },
        },
        state: 'USER_STATE_ACTIVE',
      },
      {
        userId: 'u2',
        user: { userName: 'ben', profile: { preferredLanguage: 'de' } },
        state: 'USER_STATE_INACTIVE',
      },
    ])
    expect(records('userMetadata')).toEqual([
      { id: 'u1', key: 'plan', value: Buffer.from('gold, "old"\nand more').toString('base64') },
    ])
    expect(records('userGrants')).toEqual([
      { userId: 'u1', projectId: 'acme-roles', roleKeys: ['reader', 'editor'] },
    ])
    expect(kinds).toEqual({
      'column shoe size': 1,
      [`passwordHash: ${await hashRule()}`]: 1,
      'humanUsers, kept without this member: user.email.email: must be one e-mail address such as id@acme.example': 1,
    })
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it.each([
    ['okta', 'login', 'status', ['ACTIVE', 'SUSPENDED', 'DEPROVISIONED', 'STAGED']],
    [
      'google-workspace',
      'Email Address [Required]',
      'Status [READ ONLY]',
      ['Active', 'Suspended', 'Inactive', 'New'],
    ],
  ])('keeps people inactive who are not active at %s', async (preset, name, status, states) => {
    const rows = states.map((state, at) => `p${at}@acme.example,${state}`)
    const mapping = readCsvMapping({ ...csvPreset(preset), organization: ORGANIZATION })
    const { records, kinds } = await convert([`${name},${status}`, ...rows].join('\n'), mapping)
    expect(records('humanUsers').map(({ state }) => state)).toEqual([
      'USER_STATE_ACTIVE',
      ...Array(3).fill('USER_STATE_INACTIVE'),
    ])
    expect(kinds).toEqual({ 'isActive that is neither true nor false': 1 })
  })

  it('refuses mappings and files that break a rule', async () => {
    expect(() => mappingOf({ a: 'shoeSize' })).toThrow('the mapping: columns.a')
    expect(() => mappingOf({ a: 'firstName' })).toThrow('one must become userId, userName or email')
    expect(() => mappingOf({ a: 'email', b: 'email' })).toThrow('two become email')
    const mapping = mappingOf({ a: 'email' })
    await expect(convert('b\nx', mapping)).rejects.toThrow('users.csv has no column "a"')
    await expect(convert('a,a\nx,y', mapping)).rejects.toThrow('two columns of one name')
    await expect(convert('a\n"open', mapping)).rejects.toThrow('users.csv is no CSV file')
    await expect(convert('a\nx,y', mapping)).rejects.toThrow('users.csv is no CSV file')
    await expect(convert(`a\n"${'x'.repeat(1.6 * 1_048_576)}"`, mapping)).rejects.toThrow('is no CSV file')
  })

  it('reads a cell that is neither true nor false as unverified and inactive', async () => {
    const mapping = mappingOf({ mail: 'email', proven: 'isEmailVerified', active: 'isActive' })
    const { records, kinds } = await convert('mail,proven,active\nann@acme.example,perhaps,maybe\n', mapping)
    expect(records('humanUsers')).toMatchObject([
      { user: { email: { isEmailVerified: false } }, state: 'USER_STATE_INACTIVE' },
    ])
    expect(Object.values(kinds)).toEqual([1, 1])
  })

  it.each([
    ['a quote inside', 'id,name\nu1,x\nu2,bad "secret" here\n', 'line 3: a quote inside a cell'],
    ['too few cells', 'id,name\nu1\n', 'line 2: the row has another number of cells'],
  ])('names the place of an error and not the text of the cell: %s', async (_, text, place) => {
    const refused = convert(text, mappingOf({ id: 'userId', name: 'displayName' }))
    await expect(refused).rejects.toThrow(place)
    await expect(refused).rejects.not.toThrow('secret')
  })

  describe('in another encoding', () => {
    const columns = { id: 'userId', name: 'displayName' }
    const read = async (bytes: Buffer, more: object = {}) => {
      async function* open() {
        // A character may end in another part of the file than it begins in.
        for (const byte of bytes) yield Buffer.of(byte)
      }
      const { records } = await convertAll(convertCsv, [{ name: 'users.csv', open }], {
        mapping: mappingOf(columns, more),
      })
      return (records('humanUsers') as readonly { user: { profile: { displayName: string } } }[]).map(
        ({ user }) => user.profile.displayName,
      )
    }
    const text = 'id,name\nu1,Ann\nu2,Hélène\n'

    it('reads UTF-8, UTF-16 with a mark, and the encoding that the mapping names', async () => {
      const names = ['Ann', 'Hélène']
      expect(await read(Buffer.from(text))).toEqual(names)
      expect(await read(Buffer.from(text, 'latin1'), { encoding: 'windows-1252' })).toEqual(names)
    })

    it('refuses other bytes with their line', async () => {
      await expect(read(Buffer.from(text, 'latin1'))).rejects.toThrow(
        'users.csv: line 3 is not UTF-8; a file of Excel can be "encoding: windows-1252" in the mapping',
      )
    })
  })

  it('reads dates in the order of a step, and opposites', async () => {
    const mapping = mappingOf({
      mail: 'email',
      born: { to: 'birthdate', steps: ['date:D.M.Y'] },
      blocked: { to: 'isActive', steps: ['not'] },
    })
    const rows = 'ann@acme.example,3.7.1990,false\nben@acme.example,soon,true\n'
    const { records, kinds } = await convert(`mail,born,blocked\n${rows}`, mapping)
    expect(records('humanUsers')).toMatchObject([
      { user: { profile: { birthdate: '1990-07-03' } }, state: 'USER_STATE_ACTIVE' },
      { state: 'USER_STATE_INACTIVE' },
    ])
    expect(kinds).toEqual({ 'column born: a date in another order': 1 })
  })

  it('reads a date as the beginning of its day where a member is a time', async () => {
    const mapping = mappingOf({ mail: 'email', since: { to: 'creationDate', steps: ['date:M/D/Y'] } })
    const { parts, records, kinds } = await convert('mail,since\nann@acme.example,7/3/2019\n', mapping)
    expect(records('humanUsers')).toMatchObject([{ creationDate: '2019-07-03T00:00:00Z' }])
    expect(kinds).toEqual({})
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it('gives a person whose name is no id a stable one', async () => {
    const first = await convert("mail\no'brien@corp.example\n", mappingOf({ mail: 'email' }))
    const second = await convert("mail\no'brien@corp.example\n", mappingOf({ mail: 'email' }))
    expect(first.records('humanUsers')).toEqual([
      { userId: expect.stringMatching(/^[\da-f-]{36}$/), user: { email: { email: "o'brien@corp.example" } } },
    ])
    expect(second.records('humanUsers')).toEqual(first.records('humanUsers'))
    const mapping = readCsvMapping({ organization: { id: 'other' }, columns: { mail: 'email' } })
    const elsewhere = await convert("mail\no'brien@corp.example\n", mapping)
    expect(elsewhere.records('humanUsers')).not.toEqual(first.records('humanUsers'))
  })

  it.each([
    ['cognito', 'cognito:username,email,email_verified,given_name', 'ann,ann@acme.example,true,Ann'],
    ['entra', 'userPrincipalName,mail,givenName,accountEnabled', 'ann,ann@acme.example,Ann,true'],
    ['google-workspace', 'First Name [Required],Email Address [Required]', 'Ann,ANN@acme.example'],
    ['okta', 'login,firstName,email,department', 'ann,Ann,ann@acme.example,it'],
    ['clerk', 'id,first_name,primary_email_address,password_digest', `user_1,Ann,ann@acme.example,${HASH}`],
  ])('has a mapping for the files of %s', async (preset, header, row) => {
    const mapping = csvPreset(preset)
    if (mapping === undefined) throw new Error('no preset')
    const { records } = await convertAll(convertCsv, [sourceFile(`${header}\n${row}\n`, 'users.csv')], {
      mapping,
      organizationId: 'acme',
    })
    expect(records('humanUsers')).toMatchObject([
      { user: { profile: { firstName: 'Ann' }, email: { email: 'ann@acme.example' } } },
    ])
  })

  it('suggests a mapping from usual names of columns that the reader of mappings accepts', () => {
    const text = suggestedMapping(['User ID', 'E-Mail', 'Vorname', 'shoe "size"', 'Email address'])
    expect(text).toBe(`columns:
  "User ID": userId
  "E-Mail": email
  "Vorname": firstName
  # "shoe \\"size\\"": metadata.shoesize
  # "Email address": metadata.emailaddress
ignore: ["shoe \\"size\\"", "Email address"]
`)
  })

  it('gives every cell back from its quotes, in a document that passes the reader', async () => {
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    const cell = fc.string({ minLength: 1, unit: fc.constantFrom(...'ab",;\n\r =+@é😀\u0000') })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), async (rows) => {
        const text = rows.map(([name, note], at) => `u${at},${quoted(name)},${quoted(note)}\n`).join('')
        const columns = { id: 'userId', name: 'displayName', note: 'metadata.note' }
        const { parts, records } = await convert(`id,name,note\n${text}`, mappingOf(columns))
        expect(records('userMetadata').map(({ value }) => Buffer.from(value, 'base64').toString())).toEqual(
          rows.map(([, note]) => note),
        )
        expect(problemsOf(documentOf(parts))).toEqual([])
      }),
    )
  })
})

async function hashRule(): Promise<string> {
  const { findHashProblem } = await import('@signet/password-hash/stored-hash')
  return findHashProblem('unknown-hash') ?? ''
}
