import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import type { HttpAnswer } from '../load/http-exchange.ts'

/** Makes of the first answer what all further ones are held to; undefined when it is not the right one itself. */
export type Expectation = (first: HttpAnswer) => ((answer: HttpAnswer) => boolean) | undefined

/** Every answer is the first one again, byte for byte, and that one holds these members. */
export function sameBytes(members: Readonly<Record<string, unknown>> = {}): Expectation {
  return ({ status, body }) => {
    if (status !== 200) return undefined
    const found = JSON.parse(body) as Record<string, unknown>
    if (!Object.entries(members).every(([name, value]) => found[name] === value)) return undefined
    return (answer) => answer.status === 200 && answer.body === body
  }
}

/** Every answer is an access token of this form, and never the same twice in a row. */
export function freshToken(isForm: (token: string) => boolean): Expectation {
  let before = ''
  const isRight = ({ status, body }: HttpAnswer) => {
    if (status !== 200) return false
    const { access_token: token, token_type: type } = JSON.parse(body) as Record<string, unknown>
    if (typeof token !== 'string' || type !== 'Bearer' || token === before || !isForm(token)) return false
    before = token
    return true
  }
  return (first) => (isRight(first) ? isRight : undefined)
}

export const isSealed = (token: string): boolean => token.startsWith('sgat_') && token.split('.').length === 5

export const isAnyToken = (token: string): boolean => token.length >= 40

/** To verify each signature would cost the generator more than the server. */
const VERIFIED_EVERY = 50

/** A JWT under one of the keys: the form of every token, and the signature of each fiftieth. */
export function isSignedWith(alg: 'RS256' | 'ES256', keySet: string): (token: string) => boolean {
  const { keys } = JSON.parse(keySet) as { keys: (JsonWebKey & { alg: string; kid: string })[] }
  const publicKeys = new Map(keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]))
  let count = 0
  return (token) => {
    const [header = '', payload, signature = ''] = token.split('.')
    const { alg: found, kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<
      string,
      string
    >
    const key = publicKeys.get(kid ?? '')
    if (found !== alg || key === undefined) return false
    count += 1
    if (count % VERIFIED_EVERY !== 1) return true
    return isSignature(Buffer.from(`${header}.${payload}`), Buffer.from(signature, 'base64url'), key)
  }
}

function isSignature(signed: Buffer, signature: Buffer, key: KeyObject): boolean {
  return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
}
