import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
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
}

const SECRET_BYTES = 32

/** Trusted browsers of people: after the password they are not asked for the second factor. */
export function browserTrust({ store, keys, random }: Dependencies) {
  const event = (action: string, { userId, clientAddress }: Owner): AuditEvent => ({
    actor: { kind: 'human', id: userId },
    action,
    target: { kind: 'user', id: userId },
    clientAddress,
    result: 'success',
  })
  return {
    isSet: (userId: string) => store.isSet(userId),
    /** The key for one more browser; undefined for an account without a second factor. */
    async add(owner: Owner & { readonly userEpoch: number }): Promise<string | undefined> {
      const { userId, userEpoch } = owner
      const secret = await store.findOrSet(userId, random(SECRET_BYTES), event('browser.trust', owner))
      return secret && keys.ofTrustedBrowsers({ userId, userEpoch, secret })
    },
    /** Ends the trust in every browser of the person. */
    end: (owner: Owner) => store.delete(owner.userId, event('browser.end_trust', owner)),
  }
}

export type BrowserTrust = ReturnType<typeof browserTrust>
