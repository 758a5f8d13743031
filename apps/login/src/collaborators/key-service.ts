import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '@signet/oauth-protocol/signing-algorithms'
import type { RpcClient } from '@signet/rpc/client'
import type { KeyService, PublicKey } from '@signet/rpc/gen/keys/v1/key_service_pb'
import { type CryptoKey, importJWK } from 'jose'
import type { VerificationKeys } from '../id-tokens/id-token-hint.ts'
import { call } from './call.ts'

const TIMEOUT_MS = 2_000
/** A key that was withdrawn stops being believed after this. */
const FRESH_MS = 60_000
/** An unknown `kid` is worth asking again, but anybody can make one up. */
const ASK_AGAIN_MS = 2_000

interface KeyList {
  readonly keys: ReadonlyMap<string, CryptoKey>
  readonly readAt: number
}

/** The public keys of the suite, read when they are needed and kept for a minute. */
export function verificationKeys(
  keyService: RpcClient<typeof KeyService>,
  now: () => Date,
): VerificationKeys {
  let list: KeyList | undefined

  async function read(): Promise<KeyList> {
    const { keys } = await call('keys', () => keyService.listPublicKeys({}, { timeoutMs: TIMEOUT_MS }))
    const imported = await Promise.all(keys.map(importPublicKey))
    list = { keys: new Map(imported.flat()), readAt: now().getTime() }
    return list
  }

  return {
    async find(kid, algorithm) {
      const id = idOf(kid, algorithm)
      const age = list === undefined ? Number.POSITIVE_INFINITY : now().getTime() - list.readAt
      const known = list !== undefined && age < FRESH_MS ? list.keys.get(id) : undefined
      if (known !== undefined || (age < ASK_AGAIN_MS && list !== undefined)) return known
      return (await read()).keys.get(id)
    },
  }
}

/** `alg` never holds a space. */
const idOf = (kid: string, algorithm: SigningAlgorithm) => `${algorithm} ${kid}`

/** None for an algorithm that this version does not know: a newer keys service may already use one. */
async function importPublicKey({ kid, algorithm, jwk }: PublicKey): Promise<[string, CryptoKey][]> {
  const known = SIGNING_ALGORITHMS.find((name) => name === algorithm)
  if (known === undefined) return []
  const key = await importJWK(JSON.parse(jwk), known)
  return key instanceof Uint8Array ? [] : [[idOf(kid, known), key]]
}
