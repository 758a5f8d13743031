import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import type { HttpAnswer } from '../load/http-exchange.ts'

/** Makes of the first answer what all further ones are held to; undefined when it is not the right one itself. */
export type Expectation = (first: HttpAnswer) => ((answer: HttpAnswer) => boolean) | undefined

/** Every answer is the first one again, byte for byte. */
export const unchanged: Expectation = (first) => (answer) =>
  answer.status === first.status && answer.body === first.body

/** Every answer is the first one again, byte for byte, and that one holds these members. */
export function sameBytes(members: Readonly<Record<string, unknown>> = {}): Expectation {
  return (first) => {
    if (first.status !== 200) return undefined
    const found = JSON.parse(first.body) as Record<string, unknown>
    const matches = Object.entries(members).every(([name, value]) => found[name] === value)
    return matches ? unchanged(first) : undefined
  }
}

/** Every answer is an access token of this form, and never the same twice in a row. */
export function freshToken(isForm: (token: string) => boolean): Expectation {
  let before = ''
  const isRight = (answer: HttpAnswer) => {
    const token = tokenOf(answer)
    if (token === undefined || token === before || !isForm(token)) return false
    before = token
    return true
  }
  return (first) => (isRight(first) ? isRight : undefined)
}

/** Every answer is the first one again and holds an access token of this form, which is looked at each time. */
export function sameToken(isForm: (token: string) => boolean): Expectation {
  return (first) => {
    const isRight = (answer: HttpAnswer) => {
      const token = tokenOf(answer)
      return token !== undefined && isForm(token) && answer.body === first.body
    }
    return isRight(first) ? isRight : undefined
  }
}

function tokenOf({ status, body }: HttpAnswer): string | undefined {
  if (status !== 200) return undefined
  const { access_token: token, token_type: type } = JSON.parse(body) as Record<string, unknown>
  return typeof token === 'string' && type === 'Bearer' ? token : undefined
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
