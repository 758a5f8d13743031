import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { AttemptKeys } from './attempt-keys.ts'
import type { BrowserTrustStore } from './browser-trust.repository.ts'

interface Owner {
  readonly userId: string
  readonly clientAddress?: string
}

interface Dependencies {
  readonly store: BrowserTrustStore
  readonly keys: Pick<AttemptKeys, 'ofTrustedBrowsers'>
  readonly random: RandomBytes
  readonly now: Clock
}

const SECRET_BYTES = 32
const BROWSER_ID_BYTES = 16
const MOST_AGENT = 100

/** Trusted browsers of people: after the password they are not asked for the second factor. */
export function browserTrust({ store, keys, random, now }: Dependencies) {
  const event = (action: string, { userId, clientAddress }: Owner): AuditEvent => ({
    actor: { kind: 'human', id: userId },
    action,
    target: { kind: 'user', id: userId },
    clientAddress,
    result: 'success',
  })
  return {
    isSet: (userId: string) => store.isSet(userId),
    /** The key and the id for one more browser; undefined for an account without a second factor. */
    async add(
      owner: Owner & { readonly userEpoch: number; readonly agent: string },
    ): Promise<{ readonly trustKey: string; readonly browserId: string } | undefined> {
      const { userId, userEpoch, agent } = owner
      const browserId = random(BROWSER_ID_BYTES).toString('base64url')
      const browser = { id: browserId, agent: agent.slice(0, MOST_AGENT), trustedAt: now() }
      const secret = await store.add(userId, random(SECRET_BYTES), browser, event('browser.trust', owner))
      return secret && { trustKey: keys.ofTrustedBrowsers({ userId, userEpoch, secret }), browserId }
    },
    /** Whether the browser is trusted. Records the use. */
    use: (userId: string, browserId: string) => store.use(userId, browserId, now()),
    list: (userId: string) => store.list(userId, now()),
    /** Ends the trust in one browser of the person, or without an id in all. */
    end: (owner: Owner, browserId?: string) =>
      browserId === undefined
        ? store.delete(owner.userId, event('browser.end_trust', owner))
        : store.deleteOne(owner.userId, browserId, event('browser.end_trust', owner)),
  }
}

export type BrowserTrust = ReturnType<typeof browserTrust>
