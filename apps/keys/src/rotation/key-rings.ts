import { type Attempt, attemptEvent } from '@signet/admin-api/audit/audit-recorder'
import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Clock } from '@signet/platform/runtime/clock'
import type { SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import type { SecretSealer } from '../sealing.ts'
import { type InstanceFeatures, instanceFeatures, NOTHING_SHOWN } from './instance-features.ts'
import type { KeyChanges, KeyStore, PolledState, StoredKey } from './key.repository.ts'
import type { KeyLife, KeyState, PlannedKey } from './key-life.ts'
import { makeKey, type PublicJwk } from './key-material.ts'
import { isSettled, planRotation, type RotationPlan, revokeNow } from './plan.ts'
import { type RotationPolicy, withSigningAlgorithms } from './policy.ts'

/** The actor of a scheduled rotation. */
const BY_CALENDAR: AuditAuthor = { actor: { kind: 'service' } }
const NO_CHANGES: KeyChanges = { create: [], change: [], forget: [], events: [] }

/** A key ready to be handed out. */
export interface RingKey extends KeyLife {
  readonly publicJwk: PublicJwk | undefined
  /** Undefined once it was destroyed. */
  readonly secret: Buffer | undefined
}

/** Every key at one revision; a new object with every change. */
export interface RingKeys extends InstanceFeatures {
  readonly revision: number
  readonly keys: readonly RingKey[]
  /** Signing algorithms of the instance. */
  readonly signingAlgorithms: readonly SigningAlgorithm[]
}

export interface KeyRingsOptions {
  readonly store: KeyStore
  readonly sealer: SecretSealer
  /** Policy whose signing algorithms are those of the instance. */
  readonly policy: RotationPolicy
  readonly now: Clock
}

/**
 * View that a replica has of all keys: read from the store, opened, held in memory, and moved along their lives. Any
 * number of replicas may tick; `current` stays available during an outage of the store.
 */
export class KeyRings {
  readonly #options: KeyRingsOptions
  readonly #watchers = new Set<() => void>()
  #current: RingKeys
  #lastLoad: Promise<void> = Promise.resolve()

  private constructor(options: KeyRingsOptions) {
    this.#options = options
    this.#current = { revision: -1, keys: [], signingAlgorithms: [], ...NOTHING_SHOWN }
  }

  /** Makes the first keys when there are none, and opens what is stored; afterwards no ring is ever empty. */
  static async open(options: KeyRingsOptions): Promise<KeyRings> {
    const rings = new KeyRings(options)
    // Opening comes before making, so that a wrong master key changes nothing.
    await rings.#load()
    rings.#follow(await options.store.poll())
    await rings.#rotate({ wait: true })
    return rings
  }

  get current(): RingKeys {
    return this.#current
  }

  /** Takes over what other replicas changed and makes the changes that are due, if no other replica is at it. */
  async tick(): Promise<PolledState> {
    const polled = await this.#options.store.poll()
    if (polled.revision !== this.#current.revision) await this.#load()
    this.#follow(polled)
    await this.#rotate({ wait: false })
    return polled
  }

  /** Applies a requested change to the keys as they are then; `current` has its outcome when it returns. */
  async change(
    plan: (keys: readonly KeyLife[], policy: RotationPolicy, now: Date) => RotationPlan,
    attempt: Attempt,
  ): Promise<void> {
    const { store, now } = this.#options
    const policy = this.#policy
    const done = attemptEvent(attempt, { result: 'success' })
    await store.withRotationLock(
      async (keys) => {
        const changes = await this.#changes(keys, plan(keys, policy, now()), done)
        return { ...changes, events: [done, ...changes.events] }
      },
      { wait: true },
    )
    await this.#load()
  }

  /**
   * Revokes the keys that the token service has published as revoked: after a fail-over to a server that lacked the last
   * commits the rows of this service say otherwise. Returns how many there were.
   */
  async revokePublished(): Promise<number> {
    const { store, now } = this.#options
    const policy = this.#policy
    const published = await store.revokedElsewhere()
    for (const kid of published) {
      await store.withRotationLock(
        async (keys) => {
          const key = keys.find((known) => known.kid === kid)
          return key === undefined
            ? NO_CHANGES
            : this.#changes(keys, revokeNow(keys, key, policy, now()), BY_CALENDAR)
        },
        { wait: true },
      )
    }
    if (published.length > 0) await this.#load()
    return published.length
  }

  /** Calls `changed` after every change of `current` until the answered function is called. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => void this.#watchers.delete(changed)
  }

  /** The policy with the signing algorithms that the instance named at the last poll. */
  get #policy(): RotationPolicy {
    return withSigningAlgorithms(this.#options.policy, this.#current.signingAlgorithms)
  }

  #follow(polled: PolledState): void {
    const known = this.#current
    const shown = { signingAlgorithms: polled.signingAlgorithms, ...instanceFeatures(polled) }
    const before = { signingAlgorithms: known.signingAlgorithms, ...instanceFeatures(known) }
    if (JSON.stringify(shown) !== JSON.stringify(before)) this.#current = { ...known, ...shown }
  }

  async #rotate({ wait }: { readonly wait: boolean }): Promise<void> {
    const { store, now } = this.#options
    const policy = this.#policy
    if (isSettled(planRotation(this.#current.keys, policy, now()))) return
    const outcome = await store.withRotationLock(
      (keys) => this.#changes(keys, planRotation(keys, policy, now()), BY_CALENDAR),
      { wait },
    )
    if (outcome === 'written') await this.#load()
  }

  async #changes(
    before: readonly StoredKey[],
    { create: planned, change, forget }: RotationPlan,
    by: AuditAuthor,
  ): Promise<KeyChanges> {
    const create = await Promise.all(planned.map((key) => this.#make(key)))
    return { create, change, forget, events: keyEvents({ before, create, change, forget }, by) }
  }

  async #make(planned: PlannedKey): Promise<StoredKey> {
    const { kid, secret, publicJwk } = await makeKey(planned.algorithm)
    return { ...planned, kid, publicJwk, sealedSecret: await this.#options.sealer.seal(secret, kid) }
  }

  // One at a time: the first read could be opened last, and undo a change that a caller has seen.
  #load(): Promise<void> {
    this.#lastLoad = this.#lastLoad.catch(() => undefined).then(() => this.#takeOver())
    return this.#lastLoad
  }

  async #takeOver(): Promise<void> {
    const { revision, keys } = await this.#options.store.read()
    const opened = await Promise.all(keys.map((key) => this.#opened(key)))
    this.#current = { ...this.#current, revision, keys: opened }
    for (const changed of [...this.#watchers]) changed()
  }

  async #opened({ sealedSecret, ...key }: StoredKey): Promise<RingKey> {
    if (sealedSecret === undefined) return { ...key, secret: undefined }
    const known = this.#current.keys.find(({ kid }) => kid === key.kid)?.secret
    return { ...key, secret: known ?? (await this.#options.sealer.open(sealedSecret, key.kid)) }
  }
}

const ACTIONS: Readonly<Record<KeyState, string>> = {
  announced: 'key.announce',
  active: 'key.activate',
  retired: 'key.retire',
  removed: 'key.remove',
  'verify-only': 'key.withdraw',
}

/** The actor of a change of keys, in every event of it. */
type AuditAuthor = Pick<AuditEvent, 'actor' | 'clientAddress' | 'details'>

interface Changes {
  readonly before: readonly KeyLife[]
  readonly create: readonly KeyLife[]
  readonly change: readonly KeyLife[]
  readonly forget: readonly string[]
}

/** Returns an event for each key that a change concerns. */
function keyEvents(
  { before, create, change, forget }: Changes,
  { actor, clientAddress, details }: AuditAuthor,
): readonly AuditEvent[] {
  const event = ({ kid, ring, algorithm }: KeyLife, action: string, dates = {}): AuditEvent => ({
    actor,
    action,
    target: { kind: 'key', id: kid },
    clientAddress,
    result: 'success',
    details: { ...details, ring, algorithm, ...dates },
  })
  const known = new Map(before.map((key) => [key.kid, key]))
  return [
    ...create.map((key) => event(key, ACTIONS[key.state], { active_at: key.activeAt.toISOString() })),
    ...change.map((key) =>
      event(key, actionOf(known.get(key.kid), key), { retire_at: key.retireAt.toISOString() }),
    ),
    ...before.filter(({ kid }) => forget.includes(kid)).map((key) => event(key, 'key.forget')),
  ]
}

function actionOf(before: KeyLife | undefined, after: KeyLife): string {
  if (before?.state === after.state) return 'key.reschedule'
  return after.revokedAt === undefined ? ACTIONS[after.state] : 'key.revoke'
}
