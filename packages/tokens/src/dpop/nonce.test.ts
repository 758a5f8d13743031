import { generateKeySync } from 'node:crypto'
import { expect, it } from 'vitest'
import type { RingKey } from '../sealed-token.ts'
import { createDpopNonces, NONCE_SECONDS } from './nonce.ts'

const NOW = new Date('2026-03-01T12:00:00.400Z')
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const ringKey = (kid: string): RingKey => ({ kid, key: generateKeySync('hmac', { length: 256 }) })
const [older, newer, other] = [ringKey('k1'), ringKey('k2'), ringKey('k3')]
const replica = (active: RingKey | undefined, ...all: readonly RingKey[]) =>
  createDpopNonces({ active: () => active, all: () => all })

it('a nonce counts at every replica with its key, for its time alone', () => {
  const nonce = replica(older, older).current(NOW) ?? ''
  const receiver = replica(newer, newer, older)
  expect(receiver.issuedAt(nonce, NOW)).toBe(Math.floor(NOW.getTime() / 1000))
  expect(receiver.issuedAt(nonce, at(NONCE_SECONDS - 1))).toBeDefined()
  expect(receiver.issuedAt(nonce, at(NONCE_SECONDS + 1))).toBeUndefined()
  expect(receiver.issuedAt(nonce, at(-10))).toBeUndefined()
  expect(replica(newer, newer).issuedAt(nonce, NOW)).toBeUndefined()
})

it('refuses a nonce with any bit changed, of another length or spelling', () => {
  const nonces = replica(other, other)
  const nonce = nonces.current(NOW) ?? ''
  for (let bit = 0; bit < Buffer.from(nonce, 'base64url').length * 8; bit += 1) {
    const bytes = Buffer.from(nonce, 'base64url')
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(nonces.issuedAt(bytes.toString('base64url'), NOW), `bit ${bit}`).toBeUndefined()
  }
  for (const text of ['', 'x', `${nonce}A`, `${nonce} `, `${nonce}=`]) {
    expect(nonces.issuedAt(text, NOW), text).toBeUndefined()
  }
})

it('makes none while there is no key', () => {
  expect(replica(undefined).current(NOW)).toBeUndefined()
})
