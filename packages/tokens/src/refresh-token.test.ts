import { generateKeySync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readRefreshToken, writeRefreshToken } from './refresh-token.ts'

const macKey = { kid: 'm1', key: generateKeySync('hmac', { length: 256 }) }
const keyOf = (kid: string) => (kid === 'm1' ? macKey.key : undefined)
const position = { grantId: '2950-abcdefghijklmnopqrstuvwxyz', counter: 7 }

describe('refresh tokens', () => {
  it('are byte for byte the same for the same position', () => {
    expect(writeRefreshToken(position, macKey)).toBe(writeRefreshToken(position, macKey))
  })

  it('read back to their position', () => {
    expect(readRefreshToken(writeRefreshToken(position, macKey), keyOf)).toEqual({ ...position, kid: 'm1' })
  })

  it('carry 256 unguessable bits: another key makes another token', () => {
    const other = writeRefreshToken(position, { kid: 'm1', key: generateKeySync('hmac', { length: 256 }) })
    expect(readRefreshToken(other, keyOf)).toBeUndefined()
  })

  it.each([
    ['another counter', (token: string) => token.replace('.7.', '.8.')],
    ['another grant', (token: string) => token.replace('abc', 'abd')],
    ['a leading zero', (token: string) => token.replace('.7.', '.07.')],
    ['a key that is gone', (token: string) => token.replace('sgrt_m1', 'sgrt_m2')],
    ['no prefix', (token: string) => token.slice(5)],
    ['more behind it', (token: string) => `${token}A`],
  ])('with %s are refused', (_, change) => {
    expect(readRefreshToken(change(writeRefreshToken(position, macKey)), keyOf)).toBeUndefined()
  })
})
