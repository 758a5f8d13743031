import { type AccessContext, openSuite } from '../access/suite-access.ts'

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

/** What can be done with keys from outside. Every method rejects as `SuiteCaller` does. */
export interface KeyApi {
  list(): Promise<readonly ShownKey[]>
  rotate(wanted: { readonly ring?: string; readonly algorithm?: string }): Promise<readonly ShownKey[]>
  revoke(kid: string): Promise<ShownKey>
  /** Answers how many secrets were sealed under an older master key. */
  rewrap(): Promise<number>
}

const PATH = '/management/v1/keys'

/** The keys of the suite where the caller has signed in. */
export function keyApi(context: AccessContext): KeyApi {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const callSuite = await openSuite(context)
    const response = await callSuite({ method, path: `${PATH}${path}`, body, repeatable: method === 'GET' })
    return (await response.json()) as T
  }

  return {
    list: async () => (await call<{ keys: ShownKey[] }>('GET', '')).keys,
    rotate: async (wanted) => (await call<{ keys: ShownKey[] }>('POST', '/rotate', wanted)).keys,
    revoke: async (kid) => (await call<{ key: ShownKey }>('POST', `/${encodeURIComponent(kid)}/revoke`)).key,
    rewrap: async () => (await call<{ rewrapped: number }>('POST', '/rewrap')).rewrapped,
  }
}
