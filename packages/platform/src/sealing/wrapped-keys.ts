import { type Environment, textOfSetting } from '../config/settings.ts'
import { StartFailure } from '../process/service.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type KeyManagement, KeyManagementError } from './key-management.ts'
import { createPkcs11 } from './pkcs11.ts'
import { createVaultTransit } from './vault-transit.ts'

const MASTER_KEY_SETTINGS = [
  'SIGNET_KEYS_MASTER_KEY',
  'SIGNET_DIRECTORY_MASTER_KEY',
  'SIGNET_LOGIN_MASTER_KEY',
  'SIGNET_MIGRATION_MASTER_KEY',
  'SIGNET_FEDERATION_MASTER_KEY',
] as const

/** A setting that lists master keys. */
export type MasterKeySetting = (typeof MASTER_KEY_SETTINGS)[number]

/** The kinds of key management, by the word with which their wrapped keys begin. */
const KINDS = {
  pkcs11: createPkcs11,
  'vault-transit': createVaultTransit,
} satisfies Record<string, (env: Environment) => KeyManagement>

type Kind = keyof typeof KINDS

/** A key of a key management service, such as `vault-transit:transit/signet-keys` or `pkcs11:signet/signet-keys`. */
export interface WrappingKey {
  readonly kind: Kind
  readonly key: string
}

const WRAPPING_KEY = /^([a-z0-9-]+):([A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)$/

/** Reads `vault-transit:transit/signet-keys`; undefined for anything else. */
export function readWrappingKey(text: string): WrappingKey | undefined {
  const [, kind = '', key = ''] = WRAPPING_KEY.exec(text) ?? []
  return isKind(kind) ? { kind, key } : undefined
}

const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text)

const KEY_BYTES = 32

/**
 * Returns the entry of a wrapped master key for its setting: `<kind>:<key>:<fingerprint>:<wrapped>`. Rejects with
 * KeyManagementError and ConfigurationError.
 */
export async function wrapMasterKey(
  env: Environment,
  setting: MasterKeySetting,
  { kind, key }: WrappingKey,
  masterKey: Buffer,
): Promise<string> {
  const fingerprint = fingerprintOf(masterKey)
  const wrapped = await KINDS[kind](env).wrap(key, masterKey, purposeOf(setting, fingerprint))
  return [kind, key, fingerprint, wrapped].join(':')
}

/** Binds a wrapped key to its setting and its name: the entry of one service does not open in the list of another. */
const purposeOf = (setting: MasterKeySetting, fingerprint: string) => `signet ${setting} ${fingerprint}`

/** Whether an entry of a master key is of no use without the key management service that wrapped it. */
export const isWrappedKey = (entry: string): boolean => readEntry(entry) !== undefined

interface WrappedKey extends WrappingKey {
  readonly fingerprint: string
  readonly wrapped: string
}

function readEntry(entry: string): WrappedKey | undefined {
  const [, named = '', fingerprint = '', wrapped = ''] =
    /^([^:]+:[^:]+):([0-9a-f]{16}):(\S+)$/.exec(entry) ?? []
  const wrappingKey = readWrappingKey(named)
  return wrappingKey && { ...wrappingKey, fingerprint, wrapped }
}

/**
 * Returns the environment with every wrapped master key replaced by the key, for `readSettings`. Without wrapped keys it
 * is the same environment and nothing is called. Rejects with StartFailure when a key cannot be had, and with
 * ConfigurationError.
 */
export async function unwrapMasterKeys(env: Environment): Promise<Environment> {
  const unwrapped: Record<string, string | undefined> = {}
  for (const setting of MASTER_KEY_SETTINGS) {
    const entries = (textOfSetting(env, setting) ?? '').split(',').map((entry) => entry.trim())
    if (entries.every((entry) => readEntry(entry) === undefined)) continue
    const keys: string[] = []
    for (const entry of entries) keys.push(await openEntry(env, setting, entry))
    unwrapped[setting] = keys.join()
    unwrapped[`${setting}_FILE`] = undefined
  }
  return Object.keys(unwrapped).length === 0 ? env : { ...env, ...unwrapped }
}

/** Returns an entry of the setting as a key in base64url. One that is not wrapped is returned as it is. */
export async function openEntry(env: Environment, setting: MasterKeySetting, entry: string): Promise<string> {
  const found = readEntry(entry)
  if (found === undefined) return entry
  const { kind, key, fingerprint, wrapped } = found
  try {
    const opened = await KINDS[kind](env).unwrap(key, wrapped, purposeOf(setting, fingerprint))
    if (opened.length === KEY_BYTES && fingerprintOf(opened) === fingerprint)
      return opened.toString('base64url')
  } catch (error) {
    if (!(error instanceof KeyManagementError)) throw error
    throw new StartFailure(`${setting}: cannot unwrap the key ${fingerprint}: ${error.message}`, {
      cause: error,
    })
  }
  throw new StartFailure(
    `${setting}: ${kind}:${key} returned another key than ${fingerprint}; it is not used: check the key management service`,
  )
}
