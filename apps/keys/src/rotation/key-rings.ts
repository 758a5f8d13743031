import type { Clock } from '@signet/service-runtime/clock'
import type { SecretSealer } from '../sealing/secret-sealer.ts'
import type { KeyLife, PlannedKey } from './key-life.ts'
import { makeKey, type PublicJwk } from './key-material.ts'
import type { KeyChanges, KeyStore, StoredKey } from './key-storage.ts'
import { isSettled, planRotation } from './plan-rotation.ts'
import type { RotationPolicy } from './rotation-policy.ts'

/** A key ready to be handed out. */
export interface RingKey extends KeyLife {
  readonly publicJwk: PublicJwk | undefined
  /** Undefined once it was destroyed. */
  readonly secret: Buffer | undefined
}

/** Every key at one revision; a new object with every change. */
export interface RingKeys {
  readonly revision: number
  readonly keys: readonly RingKey[]
}

export interface KeyRingsOptions {
  readonly store: KeyStore
  readonly sealer: SecretSealer
  readonly policy: RotationPolicy
  readonly now: Clock
}

/**
 * What one replica knows of all keys: read from the store, opened, held in memory, and moved along their lives.
 * Any number of replicas may tick; what `current` answers outlives an outage of the store.
 */
export class KeyRings {
  readonly #options: KeyRingsOptions
  readonly #watchers = new Set<() => void>()
  #current: RingKeys

  private constructor(options: KeyRingsOptions) {
    this.#options = options
    this.#current = { revision: -1, keys: [] }
  }

  /** Makes the first keys when there are none, and opens what is stored; afterwards no ring is ever empty. */
  static async open(options: KeyRingsOptions): Promise<KeyRings> {
    const rings = new KeyRings(options)
    // Opening comes before making, so that a wrong master key changes nothing.
    await rings.#load()
    await rings.#rotate({ wait: true })
    return rings
  }

  get current(): RingKeys {
    return this.#current
  }

  /** Takes over what other replicas changed and makes the changes that are due, if no other replica is at it. */
  async tick(): Promise<void> {
    if ((await this.#options.store.revision()) !== this.#current.revision) await this.#load()
    await this.#rotate({ wait: false })
  }

  /** Calls `changed` after every change of `current` until the answered function is called. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => void this.#watchers.delete(changed)
  }

  async #rotate({ wait }: { readonly wait: boolean }): Promise<void> {
    const { store, policy, now } = this.#options
    if (isSettled(planRotation(this.#current.keys, policy, now()))) return
    const outcome = await store.lead((keys) => this.#decide(keys), { wait })
    if (outcome === 'led') await this.#load()
  }

  async #decide(keys: readonly StoredKey[]): Promise<KeyChanges> {
    const { policy, now } = this.#options
    const { create, change, forget } = planRotation(keys, policy, now())
    return { change, forget, create: await Promise.all(create.map((planned) => this.#make(planned))) }
  }

  async #make(planned: PlannedKey): Promise<StoredKey> {
    const { kid, secret, publicJwk } = await makeKey(planned.algorithm)
    return { ...planned, kid, publicJwk, sealedSecret: await this.#options.sealer.seal(secret, kid) }
  }

  async #load(): Promise<void> {
    const { revision, keys } = await this.#options.store.read()
    this.#current = { revision, keys: await Promise.all(keys.map((key) => this.#opened(key))) }
    for (const changed of [...this.#watchers]) changed()
  }

  async #opened({ sealedSecret, ...key }: StoredKey): Promise<RingKey> {
    if (sealedSecret === undefined) return { ...key, secret: undefined }
    const known = this.#current.keys.find(({ kid }) => kid === key.kid)?.secret
    return { ...key, secret: known ?? (await this.#options.sealer.open(sealedSecret, key.kid)) }
  }
}
