import { TRUST_SECONDS } from '@signet/protocol/factor-demand'
import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import type { RandomBytes } from './browser.ts'

/**
 * A cookie with the accounts that a browser signed in to, for one purpose. It contains no names. A key of the directory
 * stands for each account; when the key changes, the entry of the account is void.
 */
export interface AccountCookies {
  /** Returns the entry of this browser for the account; undefined where it has none. */
  find(cookie: string | undefined, key: string): AccountEntry | undefined
  /** Returns the ids of all entries of a cookie, unchecked: only to mark what a page lists. */
  ids(cookie: string | undefined): readonly string[]
  /** Returns the cookie with a new entry for the account and the entries of other accounts. The id is random if left out. */
  issue(cookie: string | undefined, key: string, id?: string): string
}

interface AccountEntry {
  /** Random, for this browser and account. */
  readonly id: string
  /** Unix milliseconds. */
  readonly issuedAt: number
}

interface AccountCookieOptions {
  readonly masterKeys: readonly Buffer[]
  /** Generation of the database: entries from before a restore are void. Omitted where they may stay. */
  readonly generation?: number
  readonly now: () => Date
  readonly random: RandomBytes
}

interface CookieKind {
  readonly purpose: string
  readonly lifetimeSeconds: number
}

/** Cookie of the browsers that failed passwords from other browsers do not lock out. */
export const DEVICE_COOKIE: CookieKind = {
  purpose: 'signet device cookie',
  lifetimeSeconds: 90 * 24 * 60 * 60,
}

/** Cookie of the browsers that are not asked for a second factor. */
export const TRUST_COOKIE: CookieKind = {
  purpose: 'signet trusted browser cookie',
  lifetimeSeconds: TRUST_SECONDS,
}

/** Far below the limit of 4 KiB for a cookie. */
const MAX_ACCOUNTS = 10
// random.until.mac, joined by `~`.
const ENTRY = /^([A-Za-z0-9_-]{22})\.([0-9]{10})\.([A-Za-z0-9_-]{43})$/

type Entry = readonly [text: string, id: string, until: string, mac: string]

export function createAccountCookies(kind: CookieKind, options: AccountCookieOptions): AccountCookies {
  const { masterKeys, generation = 0, now, random } = options
  const { purpose, lifetimeSeconds } = kind
  const mac = createMasterKeyMac(masterKeys, generation === 0 ? purpose : `${purpose} ${generation}`)
  const textOf = (key: string, id: string, until: string) => `${key}.${id}.${until}`
  const nowSeconds = () => Math.floor(now().getTime() / 1000)

  function entriesOf(cookie: string | undefined): readonly Entry[] {
    return (cookie ?? '').split('~', MAX_ACCOUNTS).flatMap((entry) => {
      const [, id = '', until = '', tag = ''] = ENTRY.exec(entry) ?? []
      return Number(until) > nowSeconds() ? [[entry, id, until, tag] as const] : []
    })
  }

  const isOf = (key: string, [, id, until, tag]: Entry) =>
    mac.matches(textOf(key, id, until), Buffer.from(tag, 'base64url'))

  return {
    find(cookie, key) {
      if (key === '') return undefined
      const [, id, until] = entriesOf(cookie).find((entry) => isOf(key, entry)) ?? []
      return id === undefined ? undefined : { id, issuedAt: (Number(until) - lifetimeSeconds) * 1000 }
    },
    ids: (cookie) => entriesOf(cookie).map(([, id]) => id),
    issue(cookie, key, id = random(16).toString('base64url')) {
      const until = `${nowSeconds() + lifetimeSeconds}`
      const tag = mac.of(textOf(key, id, until)).toString('base64url')
      const others = entriesOf(cookie).filter((entry) => !isOf(key, entry))
      return [`${id}.${until}.${tag}`, ...others.map(([entry]) => entry)].slice(0, MAX_ACCOUNTS).join('~')
    },
  }
}
