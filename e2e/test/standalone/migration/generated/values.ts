import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'

/** Text that a person might type: any writing system, emoji, quotes; no invisible characters. */
export const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .map((typed) => typed.trim())
  .filter((typed) => typed !== '' && !/\p{Cc}/u.test(typed))
export const letters = (alphabet: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length })
export const secret = letters('abcdefghijklmnopqrstuvwxyz0123456789', 32)
export const url = fc
  .webPath()
  .map((path) => `https://acme.example/${encodeURIComponent(path.replaceAll('*', ''))}`)

/** Any of the members, each with or without the others. */
export const anyOf = <T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>
/** The same for each of the names. */
export const each = <const N extends string, T>(names: readonly N[], value: fc.Arbitrary<T>) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<N, fc.Arbitrary<T>>

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
const CURVES = [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ed25519')]
/** Public keys of every kind that may be registered, in either notation. */
export const keys = fc.subarray([
  { id: 'rsa', publicKeyPem: String(RSA.export({ type: 'spki', format: 'pem' })) },
  ...CURVES.map(({ publicKey }, at) => ({
    id: `k${at}`,
    publicKeyJwk: { ...publicKey.export({ format: 'jwk' }) },
  })),
])
