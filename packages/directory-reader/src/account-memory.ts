import type { Changes } from './change-feed.ts'
import { MAX_AGE_MS, OldestFirst } from './row-cache.ts'
import type { Account } from './views.ts'

/**
 * Values derived from the rows of accounts. They are valid as long as those rows: until the account or its
 * organization changes, at most 60 seconds after the row was read.
 */
export interface AccountMemory<Made> {
  find(key: string): Made | undefined
  /**
   * `readAt`, in milliseconds of the reader's `elapsed`, is when the oldest of what else it was made of was read. Nothing is kept of an account that
   * the reader would not give any more.
   */
  keep(key: string, made: Made, madeOf: { readonly account: Account; readonly readAt: number }): void
}

interface Kept<Made> {
  readonly made: Made
  readonly readAt: number
  readonly round: number
  readonly userId: string
  readonly organizationId: string
}

interface Change {
  /** The poll of the feed that reported it. */
  readonly round: number
  readonly at: number
}

interface FollowingAccountMemoryOptions<Made> extends AccountMemoryBound<Made> {
  readonly elapsed: () => number
  /** When the cached row was read; undefined for a row that is not, or no longer, what the cache would give. */
  readonly readAt: (account: Account) => number | undefined
}

/** The kinds of changes that an account is touched by: the name of its organization stands in it. */
export const CHANGES_OF_ACCOUNT = ['account', 'organization'] as const

export interface AccountMemoryBound<Made> {
  /** The most that everything may weigh together; the oldest make room. */
  readonly most: number
  readonly weightOf: (made: Made) => number
}

/** An `AccountMemory` that has to be notified of changes. It stores them and compares them when a value is read. */
export class FollowingAccountMemory<Made> implements AccountMemory<Made> {
  readonly #options: FollowingAccountMemoryOptions<Made>
  readonly #kept: OldestFirst<Kept<Made>>
  /** By id, those that came first first; nothing older than what may be kept. */
  readonly #changes = { account: new Map<string, Change>(), organization: new Map<string, Change>() }
  #round = 0

  constructor(options: FollowingAccountMemoryOptions<Made>) {
    this.#options = options
    const weightOf = ({ made }: Kept<Made>) => options.weightOf(made)
    this.#kept = new OldestFirst({ most: options.most, weightOf })
  }

  find(key: string): Made | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined) return undefined
    if (!this.#isOld(kept.readAt) && !this.#hasChanged(kept)) return kept.made
    this.#kept.delete(key)
    return undefined
  }

  keep(key: string, made: Made, { account, readAt }: Parameters<AccountMemory<Made>['keep']>[2]): void {
    const rowReadAt = this.#options.readAt(account)
    if (rowReadAt === undefined) return
    const { userId, organizationId } = account
    const oldest = Math.min(rowReadAt, readAt)
    this.#kept.set(key, { made, readAt: oldest, round: this.#round, userId, organizationId })
  }

  /** Called after every poll of the change feed, also without changes. */
  apply(changes: Changes): void {
    this.#forgetOld()
    if (changes.overflow) {
      this.#kept.clear()
      return
    }
    this.#round += 1
    const change = { round: this.#round, at: this.#options.elapsed() }
    for (const kind of CHANGES_OF_ACCOUNT) {
      for (const id of changes.ids.get(kind) ?? []) {
        this.#changes[kind].delete(id)
        this.#changes[kind].set(id, change)
      }
    }
  }

  #isOld(at: number): boolean {
    return this.#options.elapsed() - at >= MAX_AGE_MS
  }

  #hasChanged({ round, userId, organizationId }: Kept<Made>): boolean {
    const { account, organization } = this.#changes
    const [ofAccount, ofOrganization] = [account.get(userId), organization.get(organizationId)]
    return (ofAccount?.round ?? 0) > round || (ofOrganization?.round ?? 0) > round
  }

  /** Entries are only roughly ordered by age; a stale one behind a fresh one is evicted on a later pass. */
  #forgetOld(): void {
    for (const [key, { readAt }] of this.#kept.entries()) {
      if (!this.#isOld(readAt)) break
      this.#kept.delete(key)
    }
    for (const kind of CHANGES_OF_ACCOUNT) {
      for (const [id, { at }] of this.#changes[kind]) {
        if (!this.#isOld(at)) break
        this.#changes[kind].delete(id)
      }
    }
  }
}
