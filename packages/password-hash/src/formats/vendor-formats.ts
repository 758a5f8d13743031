import { createCipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type ReadHash, type StoredHash, UnusableHashError } from '../read-hash.ts'
import { readBcrypt } from './bcrypt.ts'
import {
  DIGEST_BYTES,
  digestHash,
  isTooLongToDigest,
  pbkdf2Hash,
  readBase64,
  scryptHash,
  scryptKeyHash,
} from './formats.ts'
import { misspelled, readKeycloak } from './keycloak-format.ts'

type Groups = Readonly<Record<string, string>>

/** How one program writes its hashes. */
interface VendorFormat {
  /** A hash that begins so is of this program: one that does not match `pattern` is refused with `spelling`. */
  readonly begins: RegExp
  readonly spelling: string
  readonly pattern: RegExp
  /** Undefined for a part that the pattern cannot check. */
  readonly read: (groups: Groups) => StoredHash | undefined
}

const NUMBER = '[1-9]\\d{0,9}'
const BASE64 = '[A-Za-z0-9+/]{0,344}={0,2}'
const BCRYPT = '\\$2[aby]\\$\\d\\d\\$[./A-Za-z0-9]{53}'

const VENDOR_FORMATS: readonly VendorFormat[] = [
  {
    // Django, PBKDF2PasswordHasher and PBKDF2SHA1PasswordHasher. The salt is text.
    begins: /^pbkdf2_/,
    spelling: 'pbkdf2_sha256$rounds$salt$base64 or pbkdf2_sha1$… (Django)',
    pattern: pattern(
      `pbkdf2_(?<digest>sha1|sha256)\\$(?<rounds>${NUMBER})\\$(?<salt>[^$]{1,256})\\$(?<key>${BASE64})`,
    ),
    read: ({ digest = '', rounds, salt = '', key = '' }) =>
      pbkdf2Hash({ digest, rounds: Number(rounds), salt: Buffer.from(salt), key: readBase64(key) }),
  },
  {
    // Django, ScryptPasswordHasher.
    begins: /^scrypt\$/,
    spelling: 'scrypt$N$salt$r$p$base64 (Django)',
    pattern: pattern(
      `scrypt\\$(?<N>${NUMBER})\\$(?<salt>[^$]{1,256})\\$(?<r>${NUMBER})\\$(?<p>${NUMBER})\\$(?<key>${BASE64})`,
    ),
    read: ({ key = '', ...parts }) => scryptKeyHash(textSaltScrypt(parts), readBase64(key)),
  },
  {
    // Django, BCryptSHA256PasswordHasher: bcrypt of the hexadecimal SHA-256.
    begins: /^bcrypt_sha256\$/,
    spelling: 'bcrypt_sha256$ and a bcrypt hash (Django)',
    pattern: pattern(`bcrypt_sha256\\$(?<bcrypt>${BCRYPT})`),
    read: ({ bcrypt = '' }) =>
      bcryptOf(bcrypt, (password) => createHash('sha256').update(password).digest('hex')),
  },
  {
    // passlib, bcrypt_sha256 of version 2: bcrypt of the HMAC under the salt of the bcrypt hash.
    begins: /^\$bcrypt-sha256\$/,
    spelling: '$bcrypt-sha256$v=2,t=2b,r=cost$salt$digest (passlib)',
    pattern: pattern(
      '\\$bcrypt-sha256\\$v=2,t=(?<revision>2[ab]),r=(?<cost>[1-9]\\d?)\\$(?<salt>[./A-Za-z0-9]{22})\\$(?<digest>[./A-Za-z0-9]{31})',
    ),
    read: ({ revision, cost = '', salt = '', digest }) =>
      bcryptOf(`$${revision}$${cost.padStart(2, '0')}$${salt}${digest}`, (password) =>
        createHmac('sha256', salt).update(password).digest('base64'),
      ),
  },
  {
    // WordPress 6.8, wp_hash_password: bcrypt of the HMAC, because bcrypt reads 72 bytes only.
    begins: /^\$wp/,
    spelling: '$wp$2y$… (WordPress)',
    pattern: pattern(`\\$wp(?<bcrypt>${BCRYPT})`),
    read: ({ bcrypt = '' }) =>
      bcryptOf(bcrypt, (password) => createHmac('sha384', 'wp-sha384').update(password).digest('base64')),
  },
  {
    // Werkzeug, generate_password_hash. The salt is text.
    begins: /^pbkdf2:/,
    spelling: 'pbkdf2:sha256:rounds$salt$hex (Werkzeug)',
    pattern: pattern(
      `pbkdf2:(?<digest>sha1|sha256|sha512):(?<rounds>${NUMBER})\\$(?<salt>[^$]{1,256})\\$(?<key>[0-9a-f]{32,128})`,
    ),
    read: ({ digest = '', rounds, salt = '', key = '' }) =>
      pbkdf2Hash({ digest, rounds: Number(rounds), salt: Buffer.from(salt), key: readHex(key) }),
  },
  {
    begins: /^scrypt:/,
    spelling: 'scrypt:N:r:p$salt$hex (Werkzeug)',
    pattern: pattern(
      `scrypt:(?<N>${NUMBER}):(?<r>${NUMBER}):(?<p>${NUMBER})\\$(?<salt>[^$]{1,256})\\$(?<key>[0-9a-f]{32,128})`,
    ),
    read: ({ key = '', ...parts }) => scryptKeyHash(textSaltScrypt(parts), readHex(key)),
  },
  {
    // Better Auth and Lucia 3. The salt is the text of its digits, the password is in NFKC.
    begins: /^[0-9A-Fa-f]+:/,
    spelling: 'salt:key, in 32 and 128 hexadecimal digits (Better Auth)',
    pattern: pattern('(?<salt>[0-9a-f]{32}):(?<key>[0-9a-f]{128})'),
    read({ salt = '', key = '' }) {
      const stored = scryptKeyHash({ N: 16_384, r: 16, p: 1, salt: Buffer.from(salt) }, readHex(key))
      return { ...stored, verify: (password, compute) => stored.verify(password.normalize('NFKC'), compute) }
    },
  },
  {
    // ASP.NET Identity version 2: a zero byte, 16 bytes of salt, 32 of key; always 1,000 rounds of SHA-1.
    begins: /^A[A-P][A-Za-z0-9+/]{64}==$/,
    spelling: 'base64 of 49 bytes (ASP.NET Identity version 2)',
    pattern: pattern('(?<bytes>.{68})'),
    read({ bytes = '' }) {
      const all = readBase64(bytes)
      return pbkdf2Hash({ digest: 'sha1', rounds: 1000, salt: all.subarray(1, 17), key: all.subarray(17) })
    },
  },
  {
    begins: /^AQAAAA[A-Z]/,
    spelling:
      'base64 of 1, the digest, the rounds, the salt length, salt and key (ASP.NET Identity version 3)',
    pattern: pattern(`(?<bytes>${BASE64})`),
    read: ({ bytes = '' }) => readAspNet3(readBase64(bytes)),
  },
  {
    // RFC 2307 and its successors: the digest of the password and a salt, then the salt.
    begins: /^\{S?(?:SHA|MD5)\d*\}/i,
    spelling: '{SHA}, {SSHA}, {SHA256}, {SSHA256}, … {SSHA512}, {MD5} or {SMD5} and base64 (LDAP)',
    pattern: pattern(`\\{(?<salted>S?)(?<name>SHA|SHA256|SHA384|SHA512|MD5)\\}(?<bytes>${BASE64})`, 'i'),
    read({ salted, name = '', bytes = '' }) {
      const algorithm = name.toLowerCase() === 'sha' ? 'sha1' : name.toLowerCase()
      const all = readBase64(bytes)
      const digest = all.subarray(0, DIGEST_BYTES[algorithm])
      const salt = all.subarray(digest.length)
      if ((salt.length === 0) === (salted !== '')) return undefined
      return digestHash(`ldap-${salted !== '' ? 'salted-' : ''}${algorithm}`, algorithm, digest, (password) =>
        Buffer.concat([Buffer.from(password), salt]),
      )
    },
  },
  {
    // Atlassian: 10,000 rounds of SHA-1.
    begins: /^\{PKCS5S2\}/,
    spelling: '{PKCS5S2} and base64 of 48 bytes (Atlassian)',
    pattern: pattern('\\{PKCS5S2\\}(?<bytes>[A-Za-z0-9+/]{64})'),
    read({ bytes = '' }) {
      const all = readBase64(bytes)
      return pbkdf2Hash({ digest: 'sha1', rounds: 10_000, salt: all.subarray(0, 16), key: all.subarray(16) })
    },
  },
  {
    // Ory Kratos. The template has the places of the salt and of the password.
    begins: /^\$(?:sha(?:1|224|256|384|512)|md5)\$/,
    spelling: '$sha256$pf=base64 of a template with {PASSWORD}$base64 of the salt$base64 (Ory Kratos)',
    pattern: pattern(
      `\\$(?<algorithm>sha1|sha256|sha512|md5)\\$pf=(?<template>${BASE64})\\$(?<salt>${BASE64})\\$(?<digest>${BASE64})`,
    ),
    read: ({ algorithm = '', template = '', salt = '', digest = '' }) => {
      const join = createTemplate(readBase64(template), readBase64(salt))
      return join && digestHash(`template-${algorithm}`, algorithm, readBase64(digest), join)
    },
  },
  {
    // Ory Kratos. The base64 is that of the hexadecimal text of the HMAC.
    begins: /^\$hmac-/,
    spelling: '$hmac-sha256$base64 of the hexadecimal digits$base64 of the key (Ory Kratos)',
    pattern: pattern(
      `\\$hmac-(?<algorithm>md5|sha1|sha224|sha256|sha384|sha512)\\$(?<digest>${BASE64})\\$(?<key>${BASE64})`,
    ),
    read: ({ algorithm = '', digest = '', key = '' }) =>
      hmacHash(algorithm, readBase64(digest).toString('latin1'), readBase64(key)),
  },
  {
    // Firebase Authentication, in the spelling of Ory Kratos.
    begins: /^\$firescrypt\$/,
    spelling:
      '$firescrypt$ln=mem_cost,r=rounds,p=1$salt$hash$salt separator$signer key, all in standard base64 (Firebase)',
    pattern: pattern(
      `\\$firescrypt\\$ln=(?<ln>[1-9]\\d?),r=(?<r>${NUMBER}),p=(?<p>${NUMBER})\\$(?<salt>${BASE64})\\$(?<hash>${BASE64})\\$(?<separator>${BASE64})\\$(?<signerKey>${BASE64})`,
    ),
    read: readFirebase,
  },
]

/** A hash in the spelling of one program, as its documentation or source has it. */
export const readVendorHash: ReadHash = (hash) => {
  if (hash.startsWith('{"')) return readKeycloak(hash)
  const format = VENDOR_FORMATS.find(({ begins }) => begins.test(hash))
  if (format === undefined) return undefined
  const groups = format.pattern.exec(hash)?.groups
  return (groups && format.read(groups)) ?? misspelled(format.spelling)
}

function pattern(source: string, flags = ''): RegExp {
  return new RegExp(`^${source}$`, flags)
}

function readHex(digits: string): Buffer {
  if (digits.length % 2 === 1) {
    throw new UnusableHashError('the digest of a password hash must be whole bytes of hexadecimal digits')
  }
  return Buffer.from(digits, 'hex')
}

function textSaltScrypt({ N, r, p, salt = '' }: Groups) {
  return { N: Number(N), r: Number(r), p: Number(p), salt: Buffer.from(salt) }
}

/** A bcrypt hash of what `keyOf` makes of the password: printable text of fewer than 72 bytes. */
function bcryptOf(bcrypt: string, keyOf: (password: string) => string): StoredHash | undefined {
  const stored = readBcrypt(bcrypt)
  return (
    stored && {
      ...stored,
      verify: async (password, compute) =>
        !isTooLongToDigest(password) && stored.verify(keyOf(password), compute),
    }
  )
}

const ASP_NET_DIGESTS: readonly string[] = ['sha1', 'sha256', 'sha512']
const ASP_NET_HEADER_BYTES = 13
const ASP_NET_LEAST_SALT_BYTES = 16

function readAspNet3(bytes: Buffer): StoredHash | undefined {
  if (bytes.length < ASP_NET_HEADER_BYTES) return undefined
  const digest = ASP_NET_DIGESTS[bytes.readUInt32BE(1)]
  const saltBytes = bytes.readUInt32BE(9)
  const key = bytes.subarray(ASP_NET_HEADER_BYTES + saltBytes)
  if (digest === undefined || saltBytes < ASP_NET_LEAST_SALT_BYTES || key.length === 0) return undefined
  const salt = bytes.subarray(ASP_NET_HEADER_BYTES, ASP_NET_HEADER_BYTES + saltBytes)
  return pbkdf2Hash({ digest, rounds: bytes.readUInt32BE(5), salt, key })
}

const MOST_TEMPLATE_BYTES = 128
const PASSWORD_PLACE = '{PASSWORD}'
const SALT_PLACE = '{SALT}'

/** Undefined for a template that is too long or has no place for the password. */
function createTemplate(template: Buffer, salt: Buffer): ((password: string) => Buffer) | undefined {
  // Every byte is one character, so a template in another encoding keeps its bytes.
  const parts = template.toString('latin1').split(/(\{PASSWORD\}|\{SALT\})/)
  if (template.length > MOST_TEMPLATE_BYTES || !parts.includes(PASSWORD_PLACE)) return undefined
  return (password) =>
    Buffer.concat(
      parts.map((part) => {
        if (part === PASSWORD_PLACE) return Buffer.from(password)
        return part === SALT_PLACE ? salt : Buffer.from(part, 'latin1')
      }),
    )
}

function hmacHash(algorithm: string, digits: string, key: Buffer): StoredHash | undefined {
  if (!/^[0-9a-f]+$/.test(digits) || key.length === 0) return undefined
  const expected = readHex(digits)
  if (expected.length !== DIGEST_BYTES[algorithm]) return undefined
  return {
    format: `hmac-${algorithm}`,
    parameters: {},
    isOutdated: true,
    memoryKib: 0,
    estimatedMs: 1,
    verify: async (password) =>
      !isTooLongToDigest(password) &&
      timingSafeEqual(createHmac(algorithm, key).update(password).digest(), expected),
  }
}

const FIREBASE_KEY_BYTES = 32
const LEAST_SIGNER_KEY_BYTES = 16

/** The hash is the signer key of the project, encrypted under the key that scrypt derives from the password. */
function readFirebase(groups: Groups): StoredHash | undefined {
  const { ln, r, p, salt = '', hash = '', separator = '', signerKey = '' } = groups
  const [secret, expected] = [readBase64(signerKey), readBase64(hash)]
  if (secret.length < LEAST_SIGNER_KEY_BYTES || secret.length !== expected.length) return undefined
  const parts = {
    N: 2 ** Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.concat([readBase64(salt), readBase64(separator)]),
  }
  return scryptHash('firebase-scrypt', parts, FIREBASE_KEY_BYTES, (derived) => {
    const encrypted = createCipheriv('aes-256-ctr', derived, Buffer.alloc(16)).update(secret)
    return timingSafeEqual(encrypted, expected)
  })
}
