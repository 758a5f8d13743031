import { createHmac, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { RingKey } from '../sealed-token.ts'

/** Nonces of the server for DPoP proofs (RFC 9449 section 8). Nothing is stored: every replica with the keys knows those of all. */
export interface DpopNonces {
  /** A nonce of this moment; undefined while there is no key. */
  current(now: Date): string | undefined
  /** When a nonce was made, in seconds since 1970; undefined for one that is not ours or too old. */
  issuedAt(nonce: string, now: Date): number | undefined
}

/** Longer than a client needs for a response and its repeated call; a new one comes with each token response. */
export const NONCE_SECONDS = 300
/** Number of seconds by which the clocks of two replicas may differ. */
export const REPLICA_TOLERANCE_SECONDS = 4
const TIME_BYTES = 6
const MAC_BYTES = 16

/** `ring` has keys that the replicas of all services with nonces share. */
export function createDpopNonces(ring: {
  readonly active: () => RingKey | undefined
  readonly all: () => readonly RingKey[]
}): DpopNonces {
  const derived = new WeakMap<KeyObject, Buffer>()

  function macOf(key: KeyObject, time: Buffer): Buffer {
    const subkey = derived.get(key) ?? Buffer.from(hkdfSync('sha256', key, '', 'signet dpop nonce', 32))
    derived.set(key, subkey)
    return createHmac('sha256', subkey).update(time).digest().subarray(0, MAC_BYTES)
  }

  return {
    current(now) {
      const key = ring.active()?.key
      if (key === undefined) return undefined
      const time = Buffer.alloc(TIME_BYTES)
      time.writeUIntBE(Math.floor(now.getTime() / 1000), 0, TIME_BYTES)
      return Buffer.concat([time, macOf(key, time)]).toString('base64url')
    },
    issuedAt(nonce, now) {
      const bytes = Buffer.from(nonce, 'base64url')
      if (bytes.length !== TIME_BYTES + MAC_BYTES || bytes.toString('base64url') !== nonce) return undefined
      const [time, mac] = [bytes.subarray(0, TIME_BYTES), bytes.subarray(TIME_BYTES)]
      const issuedAt = time.readUIntBE(0, TIME_BYTES)
      const age = now.getTime() / 1000 - issuedAt
      if (age > NONCE_SECONDS || age < -REPLICA_TOLERANCE_SECONDS) return undefined
      return ring.all().some(({ key }) => timingSafeEqual(mac, macOf(key, time))) ? issuedAt : undefined
    },
  }
}
