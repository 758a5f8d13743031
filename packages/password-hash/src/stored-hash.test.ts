import { FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findHashProblem, judgeHash, readStoredHash, UnusableHashError } from './stored-hash.ts'

const tail = '$c29tZXNhbHRzb21lc2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'
const argon2 = (parameters: string, variant = 'argon2id') => `$${variant}$v=19$${parameters}${tail}`
const bcrypt = (cost: string, version = '2b') =>
  `$${version}$${cost}$${'abcdefghijklmnopqrstuv'}${'x'.repeat(31)}`

const scrypt = (parameters: string) => `$scrypt$${parameters}${tail}`
const pbkdf2 = (rounds: string, digest = '-sha256') => `$pbkdf2${digest}$${rounds}${tail}`
const fourBlocks = (rounds: string) => `$pbkdf2$${rounds}$c2FsdHNhbHRzYWx0c2FsdA$${'A'.repeat(86)}`
const crypt = (start: string, digestCharacters: number) => `${start}$${'x'.repeat(digestCharacters)}`
const php = (start: string, digestCharacters: number) => `${start}saltsalt${'x'.repeat(digestCharacters)}`

const key44 = `${'A'.repeat(43)}=`
const firebase = (parameters: string, key = key44) =>
  `$firescrypt$${parameters}$c2FsdA==$${key44}$Bw==$${key}`
const keycloak = (parameters: object) =>
  JSON.stringify({ secretData: { value: key44, salt: 'c29tZXNhbHQ=' }, credentialData: parameters })
const keycloakArgon2 = (memory: string, version = '1.3') => ({
  algorithm: 'argon2',
  hashIterations: 5,
  additionalParameters: { type: ['id'], version: [version], memory: [memory], parallelism: ['1'] },
})
const aspNet3 = ({ prf = 1, rounds = 1000, saltBytes = 16, keyBytes = 32 }) => {
  const header = Buffer.alloc(13, 1)
  for (const [at, value] of [prf, rounds, saltBytes].entries()) header.writeUInt32BE(value, 1 + 4 * at)
  return Buffer.concat([header, Buffer.alloc(16 + keyBytes)]).toString('base64')
}

describe('stored hashes', () => {
  it('reads ln of three digits and more as N itself', () => {
    expect(readStoredHash(scrypt('ln=16384,r=8,p=1'))).toMatchObject({ parameters: { ln: 14 } })
    expect(readStoredHash(scrypt('ln=14,r=8,p=1'))).toMatchObject({ parameters: { ln: 14 } })
  })

  it('reads base64 of every program with and without padding', () => {
    for (const hash of Object.values(FOREIGN_PASSWORD_HASHES)) {
      if (hash.startsWith('AQAAAA') || hash.startsWith('ADAx') || hash.startsWith('{"')) continue
      expect(findHashProblem(hash.replace(/=+(?=\$|$)/g, ''))).toBeUndefined()
    }
  })

  it('counts the memory of scrypt with many lanes', () => {
    expect(readStoredHash(scrypt('ln=1,r=64,p=1024'))).toMatchObject({ memoryKib: 8192 })
  })

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
    expect(readStoredHash(pbkdf2('1000'))).toMatchObject({ parameters: { rounds: 1000 } })
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
    ['pbkdf2 of Keycloak with four blocks of SHA-1', fourBlocks('1300000'), fourBlocks('2000000')],
    ['scrypt', scrypt('ln=17,r=8,p=1'), scrypt('ln=18,r=8,p=1')],
    ['sha512-crypt', crypt('$6$rounds=656000$salt', 86), crypt('$6$rounds=1000000$salt', 86)],
    ['phpass', php('$P$H', 22), php('$P$I', 22)],
  ])(
    'refuses to store %s that takes much more than a second, and still reads it [F-42]',
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
    ['rounds of sha256-crypt', crypt('$5$rounds=999999999$salt', 43)],
    ['rounds of sha256-crypt', crypt('$6$rounds=1000001$salt', 86)],
    ['rounds of sha256-crypt', crypt('$6$rounds=999$salt', 86)],
    ['scrypt may take', scrypt('ln=2097152,r=8,p=1')],
    ['scrypt may take', scrypt('ln=1,r=4,p=1000000')],
    ['scrypt may take', scrypt('ln=1,r=1048576,p=8')],
    ['N of scrypt', scrypt('ln=16,r=1,p=1')],
    ['N of scrypt', scrypt('ln=16385,r=8,p=1')],
    ['length l', pbkdf2('i=1000,l=20')],
    ['pbkdf2 may take', pbkdf2('i=10000001')],
    ['pbkdf2 may take', `pbkdf2_sha256$10000001$salt$${key44}`],
    ['pbkdf2 may take', `pbkdf2:sha256:10000001$salt$${'0'.repeat(64)}`],
    ['pbkdf2 may take', aspNet3({ rounds: 4_294_967_295 })],
    ['pbkdf2 may take', aspNet3({ rounds: 0 })],
    ['pbkdf2 may take', keycloak({ algorithm: 'pbkdf2', hashIterations: 10_000_001 })],
    ['argon2 parameters', keycloak(keycloakArgon2('1048576'))],
    ['scrypt may take', `scrypt$1048576$salt$8$1$${key44}`],
    ['scrypt may take', `scrypt:16384:8:1000$salt$${'0'.repeat(64)}`],
    ['scrypt may take', firebase('ln=20,r=8,p=1')],
    ['scrypt may take', firebase('ln=99,r=8,p=1')],
    ['bcrypt cost', `$wp${bcrypt('31')}`],
    ['bcrypt cost', `bcrypt_sha256$${bcrypt('17')}`],
    ['bcrypt cost', `bcrypt$${bcrypt('17')}`],
    ['argon2 parameters', `argon2${argon2('m=524289,t=2,p=1')}`],
    ['rounds of sha256-crypt', `$sha512-crypt$rounds=1000001$salt$${'x'.repeat(86)}`],
    ['rounds of sha256-crypt', `{CRYPT}${crypt('$6$rounds=1000001$salt', 86)}`],
    ['rounds of phpass', php('$P$T', 22)],
    ['rounds of phpass', php('$H$.', 22)],
    ['rounds of drupal7', php('$S$z', 43)],
  ])('refuses, naming the %s, the cost of %s [F-42]', (rule, hash) => {
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

  it.each([
    ['Django', `pbkdf2_sha256$1000$$${key44}`],
    ['Django', `pbkdf2_sha512$1000$salt$${key44}`],
    ['Django', `pbkdf2_sha256$01000$salt$${key44}`],
    ['Django', `scrypt$1024$salt$8$${key44}`],
    ['Django', `bcrypt_sha256$${bcrypt('10').slice(1)}`],
    ['passlib', `$bcrypt-sha256$2a,12$${'x'.repeat(22)}$${'x'.repeat(31)}`],
    ['WordPress', '$wp$P$BaVOcPqNMgl.iZnoTXT1jI/gEukYWy1'],
    ['Werkzeug', `pbkdf2:md5:1000$salt$${'0'.repeat(32)}`],
    ['Werkzeug', `pbkdf2:sha256:1000$salt$${'0'.repeat(30)}`],
    ['Werkzeug', `scrypt:1024:8$salt$${'0'.repeat(64)}`],
    ['Better Auth', `${'0'.repeat(32)}:${'0'.repeat(127)}`],
    ['Better Auth', `${'A'.repeat(32)}:${'0'.repeat(128)}`],
    ['ASP.NET Identity version 3', aspNet3({ prf: 3 })],
    ['ASP.NET Identity version 3', aspNet3({ saltBytes: 15 })],
    ['ASP.NET Identity version 3', aspNet3({ saltBytes: 4_294_967_295 })],
    ['ASP.NET Identity version 3', aspNet3({ keyBytes: 0 })],
    ['ASP.NET Identity version 3', 'AQAAAAE='],
    ['LDAP', '{SSHA}3un74qsmN4TKtJ2TaL+l5OoI/HU='],
    ['LDAP', '{SHA}m4BHHQOoIUo69qL0DHLi4yufekAmBCCk'],
    ['LDAP', '{SHA999}AAAA'],
    ['Atlassian', '{PKCS5S2}AAAA'],
    ['a template', `$sha256$pf=$$${key44}`],
    ['a template', `$sha256$pf=e1NBTFR9$c2FsdA==$${key44}`],
    ['a template', `$sha256$pf=${Buffer.from('{PASSWORD}'.repeat(13)).toString('base64')}$$${key44}`],
    ['a template', `$sha256$${key44}`],
    ['hexadecimal digits', `$hmac-sha256$${key44}$YS1rZXk=`],
    ['hexadecimal digits', `$hmac-sha256$${Buffer.from('0'.repeat(64)).toString('base64')}$`],
    ['hexadecimal digits', `$hmac-md4$${Buffer.from('0'.repeat(32)).toString('base64')}$YS1rZXk=`],
    ['Firebase', firebase('ln=14,r=8,p=1', 'AAAAAAAAAAAAAAAAAAAAAA==')],
    ['Firebase', firebase('ln=14,r=8')],
    ['Firebase', firebase('ln=14,r=8,p=1').replace('c2FsdA==', 'c2Fsd-_=')],
    ['Keycloak', keycloak({ algorithm: 'pbkdf2-sha1', hashIterations: 1000 })],
    ['Keycloak', keycloak({ algorithm: 'pbkdf2', hashIterations: '1000' })],
    ['Keycloak', keycloak({ algorithm: 'pbkdf2', hashIterations: 1e21 })],
    ['Keycloak', keycloak(keycloakArgon2('7168', '1.0'))],
    ['Keycloak', keycloak({ algorithm: 'argon2', hashIterations: 5 })],
    ['Keycloak', '{"secretData":'],
    ['Keycloak', '{"secretData":"null","credentialData":"[]"}'],
  ])('names the spelling of %s for a malformed hash', (program, hash) => {
    const problem = findHashProblem(hash)
    expect(problem).toMatch(/^a password hash must be spelled /)
    expect(problem).toContain(program)
  })

  it.each([
    ['sha1 digest', '$sha1$pf=e1BBU1NXT1JEfQ==$$AAAA'],
    ['sha256 digest', '{SHA256}3un74qsmN4TKtJ2TaL+l5OoI/HU='],
    ['pbkdf2 digest', 'pbkdf2_sha256$1000$salt$AAAA'],
    ['pbkdf2 digest', aspNet3({ keyBytes: 15 })],
    ['scrypt digest', 'scrypt$1024$salt$8$1$AAAA'],
    ['whole bytes', `pbkdf2:sha256:1000$salt$${'0'.repeat(33)}`],
  ])('refuses the length of a %s', (rule, hash) => {
    expect(findHashProblem(hash)).toContain(rule)
  })

  it('reads every documented format and repeats no hash in a message', () => {
    for (const hash of Object.values(FOREIGN_PASSWORD_HASHES)) expect(findHashProblem(hash)).toBeUndefined()
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
      'pbkdf2_sha256$1000$',
      'scrypt:1024:8:1$',
      'AQAAAAE',
      '{SSHA}',
      '{"secretData":',
      '$sha256$pf=',
      '$hmac-sha256$',
      '$firescrypt$ln=14,r=8,p=1$',
      '$wp$2y$10$',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.string(), (start, end) => {
        expect(() => readStoredHash(`${start}${end}`)).toThrow(UnusableHashError)
      }),
    )
  })
})

describe('judgeHash', () => {
  it('names the kind and the estimated time of a hash that can be stored', () => {
    expect(judgeHash(bcrypt('12'))).toEqual({
      verdict: 'verifiesHere',
      kind: 'bcrypt cost=12',
      estimatedMs: 200,
    })
    for (const hash of Object.values(FOREIGN_PASSWORD_HASHES)) {
      expect(judgeHash(hash)).toMatchObject({ verdict: 'verifiesHere', kind: expect.stringMatching(/^\S/) })
    }
  })

  it.each([
    ['bcrypt with cost 15', bcrypt('15'), 'tooSlow'],
    ['bcrypt with cost 17', bcrypt('17'), 'tooSlow'],
    ['bcrypt with cost 3', bcrypt('03'), 'unusable'],
    ['pbkdf2 with 1,400,000 rounds', `pbkdf2_sha256$1400000$salt$${'A'.repeat(43)}=`, 'tooSlow'],
    ['pbkdf2 with 100 million rounds', `pbkdf2_sha256$100000000$salt$${'A'.repeat(43)}=`, 'tooSlow'],
    ['sha512-crypt with 900,000 rounds', `$6$rounds=900000$salt$${'x'.repeat(86)}`, 'tooSlow'],
    ['sha512-crypt with 9 million rounds', `$6$rounds=9000000$salt$${'x'.repeat(86)}`, 'tooSlow'],
    [
      'argon2id with 1 GiB',
      `$argon2id$v=19$m=1048576,t=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
      'tooSlow',
    ],
    ['scrypt with 1 GiB', `$scrypt$ln=20,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`, 'tooSlow'],
    ['another text', 'secret', 'unusable'],
    ['no text', '', 'unusable'],
  ])('%s', (_, hash, verdict) => {
    expect(judgeHash(hash)).toEqual({ verdict, rule: findHashProblem(hash) })
  })
})
