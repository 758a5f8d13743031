import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertAll, documentOf, problemsOf, sourceFile } from './conversion-fixture.ts'
import { convertCsv, readCsvMapping } from './csv.ts'

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
