import { createHash, pbkdf2Sync } from 'node:crypto'
import { readStoredHash } from '@signet/password-hash/stored-hash'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertAll, documentOf, problemsOf, sourceFile } from './conversion-fixture.ts'
import { convertCsv } from './csv.ts'
import { readCsvMapping } from './csv-mapping.ts'

const mappingOf = (passwordHash: object, columns: object = { login: 'userName' }) =>
  readCsvMapping({ organization: { id: 'acme' }, columns, passwordHash })
const convert = async (text: string, passwordHash: object) => {
  const files = [sourceFile(text, 'users.csv')]
  const { records, ...rest } = await convertAll(convertCsv, files, { mapping: mappingOf(passwordHash) })
  const people = records('humanUsers') as readonly { user: { hashedPassword?: { value: string } } }[]
  return { ...rest, hashes: people.map(({ user }) => user.hashedPassword?.value) }
}
const isPassword = async (hash: string | undefined, password: string) =>
  await readStoredHash(hash ?? '').verify(password, {} as never)

describe('password hashes of several columns', () => {
  it('reads PBKDF2 with rounds of a column or of the mapping, that verifies the password', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('sha1', 'sha256', 'sha512'),
        fc.constantFrom('base64', 'base64url', 'hex'),
        fc.uint8Array({ minLength: 1, maxLength: 32 }),
        fc.boolean(),
        async (digest, encoding, saltBytes, isRoundsColumn) => {
          const salt = Buffer.from(saltBytes)
          const key = pbkdf2Sync('correct horse', salt, 1000, 32, digest)
          const cells = [key, salt].map((bytes) => bytes.toString(encoding as 'hex'))
          const written = encoding === 'hex' ? 'hex' : 'base64'
          const { hashes, kinds, parts } = await convert(
            `login,pw,pw_salt,pw_rounds\nann,${cells.join()},1000\n`,
            {
              format: `pbkdf2-${digest}`,
              hash: 'pw',
              salt: 'pw_salt',
              rounds: isRoundsColumn ? 'pw_rounds' : 1000,
              encoding: written,
              saltEncoding: written,
            },
          )
          expect(await isPassword(hashes[0], 'correct horse')).toBe(true)
          expect(await isPassword(hashes[0], 'correct horses')).toBe(false)
          expect(kinds).toEqual(isRoundsColumn ? {} : { 'column pw_rounds': 1 })
          expect(problemsOf(documentOf(parts))).toEqual([])
        },
      ),
      { numRuns: 20 },
    )
  })

  it.each(
    ['md5', 'sha1', 'sha256', 'sha512'].flatMap((algorithm) => [
      [algorithm, 'salt-password', 's4ltcorrect'],
      [algorithm, 'password-salt', 'corrects4lt'],
    ]),
  )('reads %s of %s, that verifies the password', async (algorithm = '', order = '', input = '') => {
    const digest = createHash(algorithm).update(input).digest('hex')
    const { hashes, kinds } = await convert(`login,pw,salt\nann,0x${digest.toUpperCase()},s4lt\n`, {
      ...{ format: `${algorithm}-${order}`, hash: 'pw', salt: 'salt' },
      ...{ encoding: 'hex', saltEncoding: 'text' },
    })
    expect(await isPassword(hashes[0], 'correct')).toBe(true)
    expect(await isPassword(hashes[0], 'wrong')).toBe(false)
    expect(kinds).toEqual({})
  })

  it('keeps people without a hash that cannot be read, and names the rule and never the cells', async () => {
    const key = Buffer.alloc(32, 7).toString('base64')
    const rows = [
      'none,,,',
      `saltless,${key},,1000`,
      'garbled,!secret!,c2FsdA==,1000',
      `garbled-salt,${key},!salt!,1000`,
      `endless,${key},c2FsdA==,many`,
      `slow,${key},c2FsdA==,9000000`,
      'open,##PW##,c2FsdA==,1000',
    ]
    const { hashes, kinds, values, parts } = await convert(`login,pw,salt,n\n${rows.join('\n')}\n`, {
      ...{ format: 'pbkdf2-sha256', hash: 'pw', salt: 'salt', rounds: 'n' },
    })
    expect(hashes).toEqual(Array(7).fill(undefined))
    expect(kinds).toEqual({
      'passwordHash: the salt is missing': 1,
      'passwordHash: the hash is not base64': 1,
      'passwordHash: the salt is not base64': 1,
      'passwordHash: the rounds are no number': 1,
      'passwordHash: placeholder of the deployment: fill it in first': 1,
      'passwordHash: a password hash may take about one second to verify, such as bcrypt with cost 14; this one takes longer': 1,
    })
    expect(values.map(({ record }) => record)).toContain('saltless')
    expect(values.every(({ next }) => next !== undefined)).toBe(true)
    expect(JSON.stringify(values)).not.toMatch(/secret|!salt!|c2FsdA/)
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it('refuses mappings and files that break a rule', async () => {
    const parts = { hash: 'pw', salt: 'salt' }
    expect(() => mappingOf({ format: 'rot13', ...parts })).toThrow('the mapping: passwordHash.format')
    expect(() => mappingOf({ format: 'pbkdf2-sha256', ...parts })).toThrow('the mapping: passwordHash.rounds')
    expect(() => mappingOf({ format: 'sha256-salt-password', ...parts, rounds: 2 })).toThrow('passwordHash')
    const columns = { login: 'userName', old: 'passwordHash' }
    expect(() => mappingOf({ format: 'sha256-salt-password', ...parts }, columns)).toThrow(
      'the mapping: passwordHash: a column becomes it as well',
    )
    const refused = convert('login,pw\nann,x\n', { format: 'sha256-salt-password', ...parts })
    await expect(refused).rejects.toThrow('users.csv has no column "salt", which the mapping names')
  })
})
