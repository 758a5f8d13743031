import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

import type { RingKey } from './sealed-token.ts'

/** The place of a refresh token in its family: the family's grant and how many rotations lie before it. */
export interface RefreshTokenPosition {
  readonly grantId: string
  readonly counter: number
}

const FORM = /^sgrt_([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9~-]{1,64})\.(0|[1-9]\d{0,9})\.([A-Za-z0-9_-]{43})$/

/**
 * Writes `sgrt_<key>.<grant>.<counter>.<mac>`. The same position under the same key is always the same text,
 * so that a lost answer can be repeated byte for byte.
 */
export function writeRefreshToken({ grantId, counter }: RefreshTokenPosition, macKey: RingKey): string {
  const body = `${macKey.kid}.${grantId}.${counter}`
  return `sgrt_${body}.${macOf(body, macKey.key).toString('base64url')}`
}

/** Reads a refresh token, or answers undefined when its form or its MAC is not ours. */
export function readRefreshToken(
  token: string,
  keyOf: (kid: string) => KeyObject | undefined,
): (RefreshTokenPosition & { readonly kid: string }) | undefined {
  const [, kid, grantId, counter, mac] = FORM.exec(token) ?? []
  if (kid === undefined || grantId === undefined || counter === undefined || mac === undefined)
    return undefined
  const key = keyOf(kid)
  if (key === undefined) return undefined
  const expected = macOf(`${kid}.${grantId}.${counter}`, key)
  return timingSafeEqual(expected, Buffer.from(mac, 'base64url'))
    ? { kid, grantId, counter: Number(counter) }
    : undefined
}

function macOf(body: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(body).digest()
}
