import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStoredHash, UnusableHashError } from './stored-hash.ts'

const tail = '$c29tZXNhbHRzb21lc2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'
const argon2 = (parameters: string, variant = 'argon2id') => `$${variant}$v=19$${parameters}${tail}`
const bcrypt = (cost: string, version = '2b') =>
  `$${version}$${cost}$${'abcdefghijklmnopqrstuv'}${'x'.repeat(31)}`

describe('stored hashes', () => {
  it('tells what a hash costs', () => {
    expect(parseStoredHash(argon2('m=19456,t=2,p=1'))).toEqual({
      format: 'argon2',
      variant: 'argon2id',
      memoryKib: 19_456,
      passes: 2,
      lanes: 1,
    })
    expect(parseStoredHash(argon2('m=8,t=1,p=1', 'argon2i'))).toMatchObject({
      variant: 'argon2i',
      memoryKib: 8,
    })
    for (const version of ['2a', '2b', '2y']) {
      expect(parseStoredHash(bcrypt('14', version))).toEqual({ format: 'bcrypt', cost: 14 })
    }
  })

  it.each([
    argon2('m=67108864,t=2,p=1'),
    argon2('m=524289,t=2,p=1'),
    argon2('m=19456,t=11,p=1'),
    argon2('m=19456,t=4294967295,p=1'),
    argon2('m=19456,t=2,p=17'),
    argon2('m=7,t=2,p=1'),
    argon2('m=64,t=2,p=16'),
    bcrypt('17'),
    bcrypt('31'),
    bcrypt('03'),
  ])('F-42: refuses the cost of %s', (hash) => {
    expect(() => parseStoredHash(hash)).toThrow(UnusableHashError)
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
  ])('refuses the format of %s', (hash) => {
    expect(() => parseStoredHash(hash)).toThrow(UnusableHashError)
  })

  it('no text makes it fail in another way', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((end) => `$argon2id$v=19$${end}`),
          fc.string().map((end) => `$2b$10$${end}`),
        ),
        (text) => {
          expect(() => parseStoredHash(text)).toThrow(UnusableHashError)
        },
      ),
    )
  })
})
