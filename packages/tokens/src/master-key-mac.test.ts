import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { createMasterKeyMac } from './master-key-mac.ts'

const older = Buffer.alloc(32, 1)
const newer = Buffer.alloc(32, 2)

it('is HMAC-SHA-256 under the HKDF-SHA-256 subkey of the purpose (RFC 5869 sections 2.2 and 2.3)', () => {
  const extracted = createHmac('sha256', Buffer.alloc(32)).update(older).digest()
  const subkey = createHmac('sha256', extracted).update('device cookie\x01').digest()
  const expected = createHmac('sha256', subkey).update('text').digest()
  expect(createMasterKeyMac([older], 'device cookie').of('text')).toEqual(expected)
})

it('authenticates under the newest key and accepts MACs of an older one', () => {
  const before = createMasterKeyMac([older], 'a')
  const both = createMasterKeyMac([newer, older], 'a')
  expect(both.of('text')).toEqual(createMasterKeyMac([newer], 'a').of('text'))
  expect(both.matches('text', before.of('text'))).toBe(true)
  expect(before.matches('text', both.of('text'))).toBe(false)
})

it('rejects the MAC of another purpose, of another text and of another length', () => {
  const mac = createMasterKeyMac([older], 'a')
  expect(mac.matches('text', createMasterKeyMac([older], 'b').of('text'))).toBe(false)
  expect(mac.matches('other', mac.of('text'))).toBe(false)
  expect(mac.matches('text', mac.of('text').subarray(1))).toBe(false)
})

it('refuses an empty list', () => {
  expect(() => createMasterKeyMac([], 'a')).toThrow('a MAC needs a master key')
})
