import { keyInUse, LEASE_MS } from '@signet/tokens/keys/key-lease'
import { keySetMaxAgeSeconds } from '../../src/key-set.ts'
import type { KeyLife, KeyState } from '../../src/rotation/key-life.ts'
import { planRotation, type RotationPlan, revokeNow, rotateNow } from '../../src/rotation/plan.ts'
import type { RotationPolicy } from '../../src/rotation/policy.ts'

const PUBLISHED: ReadonlySet<KeyState> = new Set(['announced', 'active', 'retired'])

/** One signing key line whose store, holders and verifiers are plain values; times are Unix milliseconds. */
export class KeyLine {
  readonly policy: RotationPolicy
  readonly revoked = new Map<string, number>()
  keys: readonly KeyLife[] = []
  #made = 0

  constructor(policy: RotationPolicy) {
    this.policy = policy
  }

  /** A tick of a replica whose clock is off by `skewMs`. */
  tick(at: number, skewMs: number): void {
    this.#write(planRotation(this.keys, this.policy, new Date(at + skewMs)))
  }

  rotate(at: number, skewMs: number): void {
    const line = { ring: 'signing', algorithm: 'RS256' } as const
    this.#write(rotateNow(this.keys, [line], this.policy, new Date(at + skewMs)))
  }

  revoke(kid: string, at: number, skewMs: number): void {
    const key = this.keys.find((known) => known.kid === kid)
    if (key === undefined || key.revokedAt !== undefined) return
    this.#write(revokeNow(this.keys, key, this.policy, new Date(at + skewMs)))
    this.revoked.set(kid, at)
  }

  /** A copy that goes on from here independently. */
  copy(): KeyLine {
    const other = new KeyLine(this.policy)
    other.keys = this.keys
    return other
  }

  get active(): KeyLife | undefined {
    return this.keys.find(({ state }) => state === 'active')
  }

  #write({ create, change, forget }: RotationPlan): void {
    const changed = new Map(change.map((key) => [key.kid, key]))
    this.keys = [
      ...this.keys.filter(({ kid }) => !forget.includes(kid)).map((key) => changed.get(key.kid) ?? key),
      ...create.map((key) => {
        this.#made += 1
        return { ...key, kid: `k${this.#made}` }
      }),
    ]
  }
}

/** A replica of `token`: the last lease that it received, and the clock by which it chooses. */
export class Holder {
  readonly #line: KeyLine
  readonly #skewMs: number
  #held: readonly { kid: string; activeAt: number; retireAt: number }[] = []
  #heardAt = Number.NEGATIVE_INFINITY
  /** Until then its stream to `keys` is cut. */
  cutUntil = 0

  constructor(line: KeyLine, skewMs: number) {
    this.#line = line
    this.#skewMs = skewMs
  }

  hear(at: number): void {
    if (at < this.cutUntil) return
    this.#heardAt = at
    this.#held = this.#line.keys
      .filter(({ state }) => PUBLISHED.has(state))
      .map(({ kid, activeAt, retireAt }) => ({
        kid,
        activeAt: activeAt.getTime(),
        retireAt: retireAt.getTime(),
      }))
      .toSorted((a, b) => b.activeAt - a.activeAt)
  }

  /** The key that it would sign with. A revocation reaches it within a second, cut or not. */
  keyAt(at: number): string | undefined {
    if (at >= this.#heardAt + LEASE_MS) return undefined
    const { revoked } = this.#line
    return keyInUse(this.#held, at + this.#skewMs, (kid) => (revoked.get(kid) ?? at) < at - 1_000)?.kid
  }
}

/** A resource server of a third party: it caches the key set for as long as it may. */
export class Verifier {
  readonly #line: KeyLine
  #kids: ReadonlySet<string> = new Set()
  #until = Number.NEGATIVE_INFINITY

  constructor(line: KeyLine) {
    this.#line = line
  }

  fetch(at: number): void {
    const { keys } = this.#line
    this.#until = at + keySetMaxAgeSeconds(keys, new Date(at)) * 1_000
    this.#kids = new Set(keys.filter(({ state }) => PUBLISHED.has(state)).map(({ kid }) => kid))
  }

  /** The cached key set; undefined when it has to fetch again. */
  readonly cached = (at: number): ReadonlySet<string> | undefined =>
    at < this.#until ? this.#kids : undefined

  knows(kid: string, at: number): boolean {
    if (this.cached(at) === undefined) this.fetch(at)
    return this.#kids.has(kid)
  }
}
