import { readFileSync } from 'node:fs'
import { ConfigurationError, type Environment, readSettings } from '../config/settings.ts'
import { EVERY_NETWORK } from '../outbound-http/address-policy.ts'
import type { OutboundError } from '../outbound-http/guarded-agents.ts'
import { createPostJson, type PostJson } from '../outbound-http/http-calls.ts'
import { type KeyManagement, KeyManagementError } from './key-management.ts'

/** Time limit of one call: a process asks at its start alone. */
const TIMEOUT_MS = 5_000

/**
 * The transit engine of Vault and OpenBao. A key is `<mount>/<name>` and of an authenticated type, such as aes256-gcm96.
 * Reads the settings, and so the file of the token, at each call. Throws ConfigurationError.
 */
export function createVaultTransit(env: Environment, timeoutMs = TIMEOUT_MS): KeyManagement {
  const call = async (action: 'encrypt' | 'decrypt', key: string, body: object): Promise<unknown> => {
    const { url, headers, post } = readVault(env, timeoutMs)
    const [name, ...mount] = key.split('/').reverse()
    const path = [...mount.reverse(), action, name].join('/')
    const { status, text } = await post(`${url}/v1/${path}`, headers, body).catch((cause: OutboundError) => {
      const message = `SIGNET_VAULT_URL gave no answer (${codeOf(cause)})`
      throw new KeyManagementError(message, { isAway: true, cause })
    })
    if (status !== 200) throw refusal(status, { action, path })
    return dataOf(text)
  }
  return {
    async wrap(key, secret, purpose) {
      const data = await call('encrypt', key, {
        plaintext: secret.toString('base64'),
        associated_data: Buffer.from(purpose).toString('base64'),
      })
      return textIn(data, 'ciphertext', /^vault:v[0-9]+:[A-Za-z0-9+/]+=*$/)
    },
    async unwrap(key, wrapped, purpose) {
      const data = await call('decrypt', key, {
        ciphertext: wrapped,
        associated_data: Buffer.from(purpose).toString('base64'),
      })
      return Buffer.from(textIn(data, 'plaintext', /^[A-Za-z0-9+/]+=*$/), 'base64')
    },
  }
}

/** The code of the system or of TLS, such as ECONNREFUSED, or the reason of the outbound client. */
function codeOf({ cause, reason }: OutboundError): string {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : reason
}

interface Vault {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly post: PostJson
}

function readVault(env: Environment, timeoutMs: number): Vault {
  const settings = readSettings(
    env,
    ['SIGNET_VAULT_URL', 'SIGNET_VAULT_TOKEN'],
    ['SIGNET_VAULT_NAMESPACE', 'SIGNET_VAULT_CA'],
  )
  const { SIGNET_VAULT_NAMESPACE: namespace, SIGNET_VAULT_CA: ca } = settings
  return {
    url: settings.SIGNET_VAULT_URL,
    headers: {
      'X-Vault-Token': tokenOf(settings.SIGNET_VAULT_TOKEN.reveal()),
      'X-Vault-Request': 'true', // An agent of Vault may require it.
      ...(namespace !== undefined && { 'X-Vault-Namespace': namespace }),
    },
    post: createPostJson({ allow: EVERY_NETWORK, timeoutMs, ...(ca !== undefined && { ca: readCa(ca) }) }),
  }
}

/** Refuses a token that Node.js would name in its message about a header. */
function tokenOf(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new ConfigurationError(['SIGNET_VAULT_TOKEN: must be one line of visible ASCII characters'])
}

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigurationError([`SIGNET_VAULT_CA: cannot read ${file} (${code})`])
  }
}

/** The answer is not quoted: it may repeat what it was asked. */
function refusal(
  status: number,
  { action, path }: { readonly action: 'encrypt' | 'decrypt'; readonly path: string },
): KeyManagementError {
  if (status === 429 || status >= 500) {
    const message = `SIGNET_VAULT_URL cannot answer now: it is sealed, starting or overloaded (status ${status})`
    return new KeyManagementError(message, { isAway: true })
  }
  if (status >= 300 && status < 400) {
    return new KeyManagementError(
      `SIGNET_VAULT_URL answered with a redirect (status ${status}), which is not followed: name the address that serves calls`,
    )
  }
  if (status === 400)
    return new KeyManagementError(`${path} at SIGNET_VAULT_URL ${NOT_DONE[action]} (status 400)`)
  if (status === 403) {
    return new KeyManagementError(
      `SIGNET_VAULT_URL denied the call: the token of SIGNET_VAULT_TOKEN has ended, or its policy does not permit update on ${path} (status 403)`,
    )
  }
  const check = status === 404 ? 'has no' : 'gave no usable answer for'
  return new KeyManagementError(
    `SIGNET_VAULT_URL ${check} ${path}: check the mount, the key and SIGNET_VAULT_NAMESPACE (status ${status})`,
  )
}

const NOT_DONE = {
  decrypt:
    'did not open the key: it was wrapped by another key or for another setting, or its version is below min_decryption_version',
  encrypt: 'did not wrap the key: its type must be authenticated, such as aes256-gcm96',
}

function dataOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { data?: unknown } | null)?.data
  } catch {
    return undefined
  }
}

function textIn(data: unknown, member: 'ciphertext' | 'plaintext', form: RegExp): string {
  const value = (data as Readonly<Record<string, unknown>> | null | undefined)?.[member]
  if (typeof value === 'string' && form.test(value)) return value
  throw new KeyManagementError(
    `SIGNET_VAULT_URL answered without ${member}: it is not the transit engine of Vault or OpenBao`,
  )
}
