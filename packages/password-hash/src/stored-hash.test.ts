import { CRYPT_EDGE_HASHES, FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findHashProblem, readStoredHash, UnusableHashError } from './stored-hash.ts'

const tail = '$c29tZXNhbHRzb21lc2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'
const argon2 = (parameters: string, variant = 'argon2id') => `$${variant}$v=19$${parameters}${tail}`
const bcrypt = (cost: string, version = '2b') =>
  `$${version}$${cost}$${'abcdefghijklmnopqrstuv'}${'x'.repeat(31)}`

const scrypt = (parameters: string) => `$scrypt$${parameters}${tail}`
const pbkdf2 = (rounds: string, digest = '-sha256') => `$pbkdf2${digest}$${rounds}${tail}`
const crypt = (start: string, digestCharacters: number) => `${start}$${'x'.repeat(digestCharacters)}`
const php = (start: string, digestCharacters: number) => `${start}saltsalt${'x'.repeat(digestCharacters)}`

describe('stored hashes', () => {
  it('reports the cost of a hash', () => {
    expect(readStoredHash(argon2('m=19456,t=2,p=1'))).toMatchObject({
      format: 'argon2id',
      parameters: { m: 19_456, t: 2, p: 1 },
      memoryKib: 19_456,
      isOutdated: false,
    })
    for (const version of ['2', '2a', '2b', '2y']) {
      expect(readStoredHash(bcrypt('14', version))).toMatchObject({
        format: 'bcrypt',
        parameters: { cost: 14 },
      })
    }
    expect(readStoredHash(scrypt('ln=16,r=8,p=1'))).toMatchObject({ memoryKib: 65_536, isOutdated: true })
    // 43 characters are 31 bytes: two blocks of SHA-1, one of SHA-256.
    expect(readStoredHash(pbkdf2('1000', ''))).toMatchObject({ parameters: { rounds: 1000, blocks: 2 } })
    expect(readStoredHash(pbkdf2('1000'))).toMatchObject({ parameters: { rounds: 1000, blocks: 1 } })
    expect(readStoredHash(crypt('$6$salt', 86))).toMatchObject({ parameters: { rounds: 5000 } })
    expect(readStoredHash(php('$S$D', 43))).toMatchObject({ format: 'drupal7', parameters: { log2: 15 } })
  })

  it('argon2id below the cost of today and everything else is outdated', () => {
    const outdated = [
      argon2('m=19455,t=2,p=1'),
      argon2('m=19456,t=1,p=1'),
      argon2('m=524288,t=9,p=1', 'argon2i'),
      ...Object.values(FOREIGN_PASSWORD_HASHES),
    ]
    for (const hash of outdated) expect(readStoredHash(hash).isOutdated).toBe(true)
    expect(readStoredHash(argon2('m=20000,t=3,p=2')).isOutdated).toBe(false)
  })

  it.each([
    ['bcrypt', bcrypt('14'), bcrypt('15')],
    ['argon2id', argon2('m=524288,t=3,p=1'), argon2('m=524288,t=4,p=1')],
    ['pbkdf2', pbkdf2('1300000'), pbkdf2('2000000')],
    ['scrypt', scrypt('ln=17,r=8,p=1'), scrypt('ln=18,r=8,p=1')],
    ['sha512-crypt', crypt('$6$rounds=656000$salt', 86), crypt('$6$rounds=1000000$salt', 86)],
    ['phpass', php('$P$H', 22), php('$P$I', 22)],
  ])(
    'F-42: refuses to store %s that takes much more than a second, and still reads it',
    (_, accepted, refused) => {
      expect(findHashProblem(accepted)).toBeUndefined()
      expect(findHashProblem(refused)).toMatch(/about one second/)
      expect(() => readStoredHash(refused)).not.toThrow()
    },
  )

  it.each([
    ['argon2 parameters', argon2('m=67108864,t=2,p=1')],
    ['argon2 parameters', argon2('m=524289,t=2,p=1')],
    ['argon2 parameters', argon2('m=19456,t=11,p=1')],
    ['argon2 parameters', argon2('m=19456,t=4294967295,p=1')],
    ['argon2 parameters', argon2('m=19456,t=2,p=17')],
    ['argon2 needs m', argon2('m=7,t=2,p=1')],
    ['argon2 needs m', argon2('m=64,t=2,p=16')],
    ['bcrypt cost', bcrypt('17')],
    ['bcrypt cost', bcrypt('31')],
    ['bcrypt cost', bcrypt('03')],
    ['scrypt may take', scrypt('ln=20,r=8,p=1')],
    ['scrypt may take', scrypt('ln=63,r=8,p=1')],
    ['scrypt may take', scrypt('ln=1,r=4294967295,p=1')],
    ['scrypt may take', scrypt('ln=14,r=8,p=4294967295')],
    ['scrypt may take', scrypt('ln=19,r=8,p=2')],
    ['pbkdf2 may take', pbkdf2('2147483648')],
    ['pbkdf2 may take', pbkdf2('10000001')],
    ['pbkdf2 may take', pbkdf2('5000001', '')],
    ['rounds of sha256-crypt', crypt('$5$rounds=999999999$salt', 43)],
    ['rounds of sha256-crypt', crypt('$6$rounds=1000001$salt', 86)],
    ['rounds of sha256-crypt', crypt('$6$rounds=999$salt', 86)],
    ['rounds of phpass', php('$P$T', 22)],
    ['rounds of phpass', php('$H$.', 22)],
    ['rounds of drupal7', php('$S$z', 43)],
  ])('F-42: refuses, naming the %s, the cost of %s', (rule, hash) => {
    expect(() => readStoredHash(hash)).toThrow(UnusableHashError)
    expect(findHashProblem(hash)).toContain(rule)
  })

  it.each([
    '',
    'secret',
    argon2('m=19456,t=2,p=1', 'argon2d'),
    argon2('m=19456,t=2,p=1').replace('v=19', 'v=16'),
    argon2('t=2,m=19456,p=1'),
    argon2('m=019456,t=2,p=1'),
    `${argon2('m=19456,t=2,p=1')}\n`,
    `x${bcrypt('10')}`,
    bcrypt('10', '2x'),
    bcrypt('10').slice(0, -1),
    '$1$salt$hash',
    crypt('$5$salt', 86),
    crypt('$6$seventeen-letters', 86),
    crypt('$6$rounds=05000$salt', 86),
    pbkdf2('1000', '-md5'),
    pbkdf2('0'),
    scrypt('r=8,ln=14,p=1'),
    // The encodings of crypt(3) with the same name: yescrypt's relative, and Debian's default.
    '$7$CU..../....IK8dbNoUdxU4xoPZvMxKC/$OuUUYxELNXJMVbYCVUBMTfAMKzY8IDS2yvRoVQx1Pe9',
    '$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7',
    '8de1c731822d852eb15fcfd0bbf9e56',
    `$md5salted-both$salt$${'x'.repeat(22)}==`,
    `{"algorithm":"pbkdf2-sha256"}`,
    `$pbkdf2$1000$${'A'.repeat(2000)}$${'A'.repeat(27)}`,
  ])('refuses the format of %s', (hash) => {
    expect(findHashProblem(hash)).toContain('a password hash must be')
  })

  it.each([
    argon2('m=19456,t=2,p=1').slice(0, -2),
    argon2('m=19456,t=2,p=1').replace(/.$/, 'h'),
    scrypt('ln=14,r=8,p=1').replace(/.$/, 'h'),
    pbkdf2('1000').replace(/.$/, 'h'),
    `$md5salted-prefix$salt$${'x'.repeat(22)}==`,
  ])('refuses the encoding of %s, which a library would refuse at sign-in only', (hash) => {
    expect(findHashProblem(hash)).toContain('whole base64')
  })

  it('reads every documented format and repeats no hash in a message', () => {
    for (const hash of [
      ...Object.values(FOREIGN_PASSWORD_HASHES),
      ...CRYPT_EDGE_HASHES.map(([, hash]) => hash),
    ]) {
      expect(findHashProblem(hash)).toBeUndefined()
    }
    expect(findHashProblem(bcrypt('31'))).not.toContain('abcdef')
  })

  it('no text makes it fail in another way', () => {
    const starts = [
      '',
      '$argon2id$v=19$',
      '$2b$10$',
      '$scrypt$ln=',
      '$pbkdf2$',
      '$6$',
      '$1$',
      '$P$',
      '$S$',
      '$md5salted-prefix$',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.string(), (start, end) => {
        expect(() => readStoredHash(`${start}${end}`)).toThrow(UnusableHashError)
      }),
    )
  })
})
