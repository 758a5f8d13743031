import { readSettings } from '@signet/service-runtime/settings'
import { StartFailure } from '@signet/service-runtime/start-failure'
import type { CommandContext } from '../command.ts'

/** A key as the management API shows it; dates as ISO 8601 texts. */
export interface ShownKey {
  readonly kid: string
  readonly ring: string
  readonly algorithm: string
  readonly state: string
  readonly activeAt: string
  readonly retireAt: string
  readonly revokedAt?: string
  readonly next: { readonly state: string; readonly at: string }
}

/** What can be done with keys from outside. Every method throws StartFailure with the sentence that the suite answered. */
export interface KeyApi {
  list(): Promise<readonly ShownKey[]>
  rotate(wanted: { readonly ring?: string; readonly algorithm?: string }): Promise<readonly ShownKey[]>
  revoke(kid: string): Promise<ShownKey>
  /** Answers how many secrets were sealed under an older master key. */
  rewrap(): Promise<number>
}

const PATH = '/management/v1/keys'

/** The suite at SIGNET_ISSUER, called with SIGNET_TOKEN. Throws ConfigurationError when one of them is missing. */
export function keyApi({ env, fetch }: Pick<CommandContext, 'env' | 'fetch'>): KeyApi {
  const { SIGNET_ISSUER: issuer, SIGNET_TOKEN: token } = readSettings(env, ['SIGNET_ISSUER', 'SIGNET_TOKEN'])

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${issuer}${PATH}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token.reveal()}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new StartFailure(`${issuer} cannot be reached; check SIGNET_ISSUER`, { cause })
    })
    const answer: unknown = await response.json().catch(() => undefined)
    if (response.ok) return answer as T
    const sentence = (answer as { message?: unknown } | undefined)?.message
    throw new StartFailure(`${typeof sentence === 'string' ? sentence : 'no answer'} (${response.status})`)
  }

  return {
    list: async () => (await call<{ keys: ShownKey[] }>('GET', '')).keys,
    rotate: async (wanted) => (await call<{ keys: ShownKey[] }>('POST', '/rotate', wanted)).keys,
    revoke: async (kid) => (await call<{ key: ShownKey }>('POST', `/${encodeURIComponent(kid)}/revoke`)).key,
    rewrap: async () => (await call<{ rewrapped: number }>('POST', '/rewrap')).rewrapped,
  }
}
