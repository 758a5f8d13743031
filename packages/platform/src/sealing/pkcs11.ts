import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Environment, readSettings } from '../config/settings.ts'
import { type KeyManagement, KeyManagementError } from './key-management.ts'
import { Pkcs11Error, type Pkcs11Module, type Token, withPkcs11Module } from './pkcs11-module.ts'

const IV_BYTES = 12
const TAG_BYTES = 16

const CKF_USER_PIN_COUNT_LOW = 0x10000
const CKF_USER_PIN_FINAL_TRY = 0x20000
const CKF_USER_PIN_LOCKED = 0x40000

const CKR_PIN_INCORRECT = 0xa0
const CKR_PIN_LOCKED = 0xa4

/** Values that say that a module cannot reach its device: general and device errors, an absent or unknown token. */
const AWAY: ReadonlySet<number> = new Set([0x05, 0x06, 0x30, 0x31, 0x32, 0xe0, 0xe1])

/** The way to log in by hand, which clears the flag of a wrong PIN. */
const BY_HAND = 'log in once with another program, such as pkcs11-tool --login'

interface Options {
  readonly withModule?: typeof withPkcs11Module
  /** Awaited before a wrapped key is opened. */
  readonly spread?: () => Promise<unknown>
}

/** Time over which services that start at once spread. */
const SPREAD_MS = 3_000

interface Spread {
  /** Returns a number from 0 to 1. */
  readonly random: () => number
  readonly pause: (ms: number) => Promise<unknown>
}

/** Creates a wait of a random part of three seconds, which a process waits once. */
export function createSpread({ random, pause }: Spread): () => Promise<unknown> {
  let waited: Promise<unknown> | undefined
  return () => (waited ??= pause(random() * SPREAD_MS))
}

const spreadStarts = createSpread({ random: Math.random, pause })

/**
 * AES keys of a token of PKCS #11, such as an HSM. A key is `<label of the token>/<label of the key>`; it encrypts by
 * AES-GCM (CKM_AES_GCM). Reads the settings, and so the file of the PIN, at each call. A PIN is entered once, and never
 * while the token has the flag of a wrong one: a process that is started again and again would lock the token.
 */
export function createPkcs11(
  env: Environment,
  { withModule = withPkcs11Module, spread = spreadStarts }: Options = {},
): KeyManagement {
  const useKey = createKeyUse(env, withModule)
  return {
    wrap: (key, secret, purpose) =>
      useKey(key, ({ encrypt, decrypt }) => {
        const iv = randomBytes(IV_BYTES)
        const associatedData = Buffer.from(purpose)
        const sealed = encrypt({ iv, associatedData }, secret)
        // Some devices encrypt with an initialization vector of their own.
        if (!decrypt({ iv, associatedData }, sealed).equals(secret))
          throw new KeyManagementError(notOpened(key))
        return Buffer.concat([iv, sealed]).toString('base64url')
      }),
    async unwrap(key, wrapped, purpose) {
      // Of services that start at once with a wrong PIN the first one that enters it stops the others.
      await spread()
      return useKey(key, ({ decrypt }) => {
        const bytes = Buffer.from(wrapped, 'base64url')
        if (bytes.length <= IV_BYTES + TAG_BYTES) throw new KeyManagementError(notOpened(key))
        const parameters = { iv: bytes.subarray(0, IV_BYTES), associatedData: Buffer.from(purpose) }
        return decrypt(parameters, bytes.subarray(IV_BYTES))
      })
    },
  }
}

type Crypt = (parameters: Parameters<Pkcs11Module['encrypt']>[2], text: Buffer) => Buffer

interface Key {
  readonly encrypt: Crypt
  readonly decrypt: Crypt
}

function createKeyUse(env: Environment, withModule: typeof withPkcs11Module) {
  return async <T>(key: string, use: (key: Key) => T): Promise<T> => {
    const settings = readSettings(env, ['SIGNET_PKCS11_MODULE', 'SIGNET_PKCS11_PIN'])
    const path = settings.SIGNET_PKCS11_MODULE
    const [keyLabel = '', ...tokenParts] = key.split('/').reverse()
    const tokenLabel = tokenParts.reverse().join('/')
    const pin = Buffer.from(settings.SIGNET_PKCS11_PIN.reveal())
    try {
      return await withModule(path, (module) => {
        const token = requireToken(module, { path, tokenLabel })
        requireUnusedTries(token)
        const session = module.login(token, pin)
        const handle = requireKey(module.findAesKeys(session, keyLabel), { tokenLabel, keyLabel })
        return use({
          encrypt: (parameters, text) => module.encrypt(session, handle, parameters, text),
          decrypt: (parameters, text) => module.decrypt(session, handle, parameters, text),
        })
      })
    } catch (error) {
      throw error instanceof KeyManagementError ? error : translate(error, { path, key, tokenLabel })
    } finally {
      pin.fill(0)
    }
  }
}

function requireKey<T>(
  [key, another]: readonly T[],
  { tokenLabel, keyLabel }: { readonly tokenLabel: string; readonly keyLabel: string },
): T {
  if (key !== undefined && another === undefined) return key
  const count = key === undefined ? 'no AES key' : 'more than one AES key'
  throw new KeyManagementError(
    `SIGNET_PKCS11_MODULE: the token ${tokenLabel} has ${count} with the label ${keyLabel}`,
  )
}

function requireToken(
  module: Pkcs11Module,
  { path, tokenLabel }: { readonly path: string; readonly tokenLabel: string },
): Token {
  const [token, another] = module.listTokens().filter(({ label }) => label === tokenLabel)
  if (token !== undefined && another === undefined) return token
  const count = token === undefined ? 'no token' : 'more than one token'
  const message = `SIGNET_PKCS11_MODULE: ${path} shows ${count} with the label ${tokenLabel}: check the label in the key, the configuration of the module, and that it reaches its device`
  throw new KeyManagementError(message, { isAway: token === undefined })
}

function requireUnusedTries({ label, flags }: Token): void {
  if ((flags & CKF_USER_PIN_LOCKED) !== 0) throw new KeyManagementError(locked(label))
  if ((flags & (CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY)) === 0) return
  throw new KeyManagementError(
    `SIGNET_PKCS11_PIN was not tried: a wrong PIN was the last one that the token ${label} got, and more of them lock it; correct the PIN, then ${BY_HAND}, which clears that`,
  )
}

const locked = (tokenLabel: string) =>
  `SIGNET_PKCS11_PIN: the token ${tokenLabel} has locked its PIN after wrong ones: its security officer has to set a new one`

const notOpened = (key: string) =>
  `SIGNET_PKCS11_MODULE: ${key} did not open the key: it was wrapped by another key or for another setting`

function translate(
  error: unknown,
  { path, key, tokenLabel }: { readonly path: string; readonly key: string; readonly tokenLabel: string },
): KeyManagementError {
  if (!(error instanceof Pkcs11Error)) {
    const [reason] = error instanceof Error ? error.message.split('\n') : []
    return new KeyManagementError(`SIGNET_PKCS11_MODULE: cannot load ${path}: ${reason}`, { cause: error })
  }
  const { call, code, message } = error
  if (code === CKR_PIN_LOCKED) return new KeyManagementError(locked(tokenLabel), { cause: error })
  if (code === CKR_PIN_INCORRECT) {
    return new KeyManagementError(
      `SIGNET_PKCS11_PIN: the token ${tokenLabel} refused the PIN; it is not tried again, because wrong ones lock the token: correct it, then ${BY_HAND}`,
      { cause: error },
    )
  }
  if (call === 'C_Login') {
    const sentence = `SIGNET_PKCS11_PIN: the token ${tokenLabel} took no PIN (${message}): check that its user has one`
    return new KeyManagementError(sentence, { cause: error, isAway: AWAY.has(code) })
  }
  // A tag that does not match has a value of its own in no version of the standard.
  if (call === 'C_Decrypt') return new KeyManagementError(`${notOpened(key)} (${message})`, { cause: error })
  if (/^C_(?:En|De)crypt/.test(call)) {
    const sentence = `SIGNET_PKCS11_MODULE: ${key} does not encrypt by AES-GCM (${message}): the key must permit encryption and decryption, and the device CKM_AES_GCM`
    return new KeyManagementError(sentence, { cause: error })
  }
  return new KeyManagementError(
    `SIGNET_PKCS11_MODULE: ${path} gave no answer (${message}): check its configuration, and that it reaches its device`,
    { cause: error, isAway: AWAY.has(code) },
  )
}
