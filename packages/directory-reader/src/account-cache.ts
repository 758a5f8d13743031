import { LRUCache } from 'lru-cache'
import type { Changes } from './change-feed.ts'
import { MAX_AGE_MS } from './row-cache.ts'
import type { Account } from './views.ts'

/**
 * Values derived from the rows of accounts. They are valid as long as those rows: until the account or its
 * organization changes, at most 60 seconds after the row was read.
 */
export interface AccountCache<Value> {
  get(key: string): Value | undefined
  /**
   * `readAt`, in milliseconds of the reader's `elapsed`, is when the oldest other source of the value was read. A value
   * is not cached if `account` is no longer the row that the reader returns.
   */
  set(key: string, value: Value, source: { readonly account: Account; readonly readAt: number }): void
}

export interface AccountCacheLimit<Value> {
  /** The sum of the sizes of all values. The least recently used are evicted. */
  readonly maxSize: number
  /** A positive integer. */
  readonly sizeOf: (value: Value) => number
}

interface AccountCacheOptions<Value> extends AccountCacheLimit<Value> {
  readonly elapsed: () => number
  /** When the cached row was read; undefined for a row that the row cache does not return, or not any more. */
  readonly readAt: (account: Account) => number | undefined
}

interface Entry<Value> {
  readonly value: Value
  readonly readAt: number
  /** The last poll before the entry was made. */
  readonly poll: number
  readonly userId: string
  readonly organizationId: string
}

interface Change {
  /** The poll of the feed that reported it. */
  readonly poll: number
  readonly at: number
}

/** The kinds of changes that invalidate an account: its row contains the name of its organization. */
export const CHANGES_OF_ACCOUNT = ['account', 'organization'] as const

/** An `AccountCache` that is called after each poll of the change feed. It compares values with changes when they are read. */
export class FollowingAccountCache<Value> implements AccountCache<Value> {
  readonly #options: AccountCacheOptions<Value>
  readonly #entries: LRUCache<string, Entry<Value>>
  /** Changes by id, in the order of their polls; only those that an entry may be older than. */
  readonly #changes = { account: new Map<string, Change>(), organization: new Map<string, Change>() }
  #poll = 0

  constructor(options: AccountCacheOptions<Value>) {
    this.#options = options
    const { maxSize, sizeOf } = options
    this.#entries = new LRUCache({ maxSize, sizeCalculation: ({ value }) => sizeOf(value) })
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (!this.#isOld(entry.readAt) && !this.#hasChanged(entry)) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: Value, { account, readAt }: Parameters<AccountCache<Value>['set']>[2]): void {
    const rowReadAt = this.#options.readAt(account)
    if (rowReadAt === undefined) return
    const { userId, organizationId } = account
    const oldest = Math.min(rowReadAt, readAt)
    this.#entries.set(key, { value, readAt: oldest, poll: this.#poll, userId, organizationId })
  }

  /** Called after every poll of the change feed, also without changes. */
  apply(changes: Changes): void {
    this.#deleteOld()
    if (changes.overflow) {
      this.#entries.clear()
      return
    }
    this.#poll += 1
    const change = { poll: this.#poll, at: this.#options.elapsed() }
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

  #hasChanged({ poll, userId, organizationId }: Entry<Value>): boolean {
    const { account, organization } = this.#changes
    const [ofAccount, ofOrganization] = [account.get(userId), organization.get(organizationId)]
    return (ofAccount?.poll ?? 0) > poll || (ofOrganization?.poll ?? 0) > poll
  }

  /** The least recently used first, up to the first one that is not old: old ones behind it go in a later pass. */
  #deleteOld(): void {
    for (const key of this.#entries.rkeys()) {
      const entry = this.#entries.peek(key)
      if (entry !== undefined && !this.#isOld(entry.readAt)) break
      this.#entries.delete(key)
    }
    for (const kind of CHANGES_OF_ACCOUNT) {
      for (const [id, { at }] of this.#changes[kind]) {
        if (!this.#isOld(at)) break
        this.#changes[kind].delete(id)
      }
    }
  }
}
