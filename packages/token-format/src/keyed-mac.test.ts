import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { keyedMac } from './keyed-mac.ts'

const bytes = (byte: number, count: number) => Buffer.alloc(count, byte)

describe('keyedMac', () => {
  it.each([
    // RFC 4231 sections 4.2, 4.3 and 4.7: a key of 20 bytes, of 4, and one longer than a block.
    {
      key: bytes(0x0b, 20),
      text: 'Hi There',
      mac: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    },
    {
      key: Buffer.from('Jefe'),
      text: 'what do ya want for nothing?',
      mac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    },
    {
      key: bytes(0xaa, 131),
      text: 'Test Using Larger Than Block-Size Key - Hash Key First',
      mac: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    },
  ])('RFC 4231: the MAC of "$text"', ({ key, text, mac }) => {
    expect(keyedMac(key, Buffer.from(text)).toString('hex')).toBe(mac)
  })

  it('is what node:crypto makes, for keys and texts of every length about the size of a block', () => {
    for (let length = 0; length <= 200; length += 1) {
      const key = randomBytes(length)
      const text = randomBytes(200 - length)
      const expected = createHmac('sha256', key).update(text).digest('hex')
      expect(keyedMac(key, text).toString('hex'), `${length} bytes`).toBe(expected)
      // The second time under a key that is known.
      expect(keyedMac(key, text).toString('hex'), `${length} bytes, again`).toBe(expected)
    }
  })
})
