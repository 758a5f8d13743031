import { generateKeySync, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { compactDecrypt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  ACCESS_TOKEN_SEAL,
  AUTHORIZATION_CODE_SEAL,
  createOpener,
  createSealer,
  deriveSubkey,
  type RingKey,
} from './sealed-token.ts'

const ringKey: RingKey = { kid: 'k1', key: generateKeySync('hmac', { length: 256 }) }
const keyOf = (kid: string) => (kid === ringKey.kid ? ringKey.key : undefined)
const opener = () => createOpener(ACCESS_TOKEN_SEAL, keyOf)
const seal = (text: string) => createSealer(ACCESS_TOKEN_SEAL, ringKey, randomBytes).seal(Buffer.from(text))

describe('RFC 7516 section 7.1: sealed tokens', () => {
  it('open to the sealed bytes, for any content', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (text) => {
        expect(opener().open(seal(text))).toEqual({ kid: 'k1', plaintext: Buffer.from(text) })
      }),
    )
  })

  it('are compact JWE behind their prefix: jose opens them with the derived subkey', async () => {
    const jwe = seal('hello').slice(ACCESS_TOKEN_SEAL.prefix.length)
    const header = decodeProtectedHeader(jwe)
    expect(header).toMatchObject({ alg: 'dir', enc: 'A256GCM', typ: 'sgat+jwe' })
    const salt = Buffer.from(String(header.kid).split('.')[1] ?? '', 'base64url')
    const { plaintext } = await compactDecrypt(jwe, deriveSubkey(ACCESS_TOKEN_SEAL, ringKey.key, salt))
    expect(Buffer.from(plaintext).toString()).toBe('hello')
  })

  it('do not open after any single character was changed', () => {
    const token = seal('hello')
    const reader = opener()
    for (let index = ACCESS_TOKEN_SEAL.prefix.length; index < token.length; index += 1) {
      for (const replacement of ['A', 'z', '.']) {
        const changed = token.slice(0, index) + replacement + token.slice(index + 1)
        if (changed === token) continue
        const opened = reader.open(changed)
        // The last character of a base64url group may carry unused bits; then the bytes are the same bytes.
        if (opened !== undefined) expect(opened.plaintext.toString()).toBe('hello')
      }
    }
  })

  it('of one purpose do not open as another', () => {
    const code = createSealer(AUTHORIZATION_CODE_SEAL, ringKey, randomBytes).seal(Buffer.from('x'))
    const disguised = ACCESS_TOKEN_SEAL.prefix + code.slice(AUTHORIZATION_CODE_SEAL.prefix.length)
    expect(opener().open(code)).toBeUndefined()
    expect(opener().open(disguised)).toBeUndefined()
  })

  it('stop opening when their key leaves the ring, even if they opened before', () => {
    let present = true
    const reader = createOpener(ACCESS_TOKEN_SEAL, (kid) => (present ? keyOf(kid) : undefined))
    const token = seal('hello')
    expect(reader.open(token)).toBeDefined()
    present = false
    expect(reader.open(token)).toBeUndefined()
  })

  it('of two sealers under one key use different subkeys', () => {
    expect(decodeProtectedHeader(seal('a').slice(5)).kid).not.toBe(
      decodeProtectedHeader(seal('a').slice(5)).kid,
    )
  })

  it('never throws on anything that is not a token', () => {
    const reader = opener()
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(reader.open(text)).toBeUndefined()
        expect(reader.open(`sgat_${text}`)).toBeUndefined()
        expect(
          reader.open(
            `sgat_${Buffer.from(text).toString('base64url')}..AAAAAAAAAAAAAAAA.AA.AAAAAAAAAAAAAAAAAAAAAA`,
          ),
        ).toBeUndefined()
      }),
    )
  })
})
