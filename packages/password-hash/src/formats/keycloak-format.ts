import { type StoredHash, UnusableHashError } from '../read-hash.ts'
import { readArgon2, readPbkdf2 } from './formats.ts'

/** Throws UnusableHashError for a hash that begins like a known format and has another spelling. */
export function misspelled(spelling: string): never {
  throw new UnusableHashError(`a password hash must be spelled ${spelling}, if it begins like this one`)
}

const KEYCLOAK_SPELLING =
  'the JSON object of a Keycloak credential, with secretData (value, salt) and credentialData (algorithm, hashIterations, additionalParameters) as objects or as their JSON texts, of argon2 version 1.3, pbkdf2, pbkdf2-sha256 or pbkdf2-sha512'

const KEYCLOAK_PBKDF2 = /^pbkdf2(?:-sha256|-sha512)?$/

/** `{"secretData":…,"credentialData":…}`, as in the export of a Keycloak realm. */
export function readKeycloak(hash: string): StoredHash {
  const credential = readObject(hash)
  const secret = readObject(credential?.secretData)
  const parameters = readObject(credential?.credentialData)
  const { value, salt } = secret ?? {}
  const { algorithm, hashIterations } = parameters ?? {}
  const isWhole = [value, salt, algorithm].every((text) => typeof text === 'string')
  if (!isWhole || !Number.isInteger(hashIterations)) return misspelled(KEYCLOAK_SPELLING)
  if (KEYCLOAK_PBKDF2.test(String(algorithm))) {
    return readPbkdf2(`$${algorithm}$${hashIterations}$${salt}$${value}`) ?? misspelled(KEYCLOAK_SPELLING)
  }
  if (algorithm !== 'argon2') return misspelled(KEYCLOAK_SPELLING)
  const more = readObject(parameters?.additionalParameters)
  const [type, version, memory, lanes] = ['type', 'version', 'memory', 'parallelism'].map((name) => {
    const values = more?.[name]
    return Array.isArray(values) && values.length === 1 ? String(values[0]) : undefined
  })
  if (version !== '1.3') return misspelled(KEYCLOAK_SPELLING)
  const [salt64, key64] = [salt, value].map((text) => String(text).replace(/=+$/, ''))
  const general = `$argon2${type}$v=19$m=${memory},t=${hashIterations},p=${lanes}$${salt64}$${key64}`
  return readArgon2(general) ?? misspelled(KEYCLOAK_SPELLING)
}

/** Returns undefined for a value that is neither an object nor the JSON text of one. */
function readObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const parsed = typeof value === 'string' ? parseJson(value) : value
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
