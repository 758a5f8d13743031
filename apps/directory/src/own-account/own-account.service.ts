// Changes that people make in their own accounts. The caller has checked that the person is signed in.

import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import { PROFILE_FIELDS } from '@signet/protocol/fields/person'
import type { AuditEntryStore } from '../audit/audit-entry.repository.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import { ownEvent } from '../audit/own-event.ts'
import type { VerifiedAccount } from '../credentials/verify-password.ts'
import type { PublishEndings } from '../epochs/epoch.ts'
import { requestSchemas } from '../schema/field-schemas.ts'
import type { OwnAccountStore, OwnSession } from './own-account.repository.ts'

export interface OwnChange extends OwnSession {
  readonly clientAddress?: string | undefined
}

/** The members of a profile that its owner may change. */
const OWN_PROFILE_FIELDS = [
  'givenName',
  'familyName',
  'nickName',
  'displayName',
  'preferredLanguage',
] as const

const PROFILE_SCHEMAS = requestSchemas(PROFILE_FIELDS)

type OwnProfileField = (typeof OWN_PROFILE_FIELDS)[number]
/** An empty text: there is none. */
export type OwnProfile = Readonly<Record<OwnProfileField, string>>

interface ProfileProblem {
  readonly field: OwnProfileField
  readonly code: 'required' | 'invalid' | 'too_long'
}

interface Dependencies {
  readonly accounts: OwnAccountStore
  readonly audit: AuditEntryStore
  readonly publishEndings: PublishEndings
  /** Whether people may delete their accounts. */
  readonly mayDelete: boolean
  readonly logger: Logger
  readonly now: Clock
}

export type OwnAccounts = ReturnType<typeof ownAccounts>

export function ownAccounts(dependencies: Dependencies) {
  const { accounts, audit, publishEndings, mayDelete, logger, now } = dependencies
  return {
    async find(userId: string) {
      const found = await accounts.find(userId)
      return found && { ...found, mayDelete: mayDelete && !found.hasRoles }
    },

    /** The newest entries of the audit logs that the person caused. */
    async activity(userId: string): Promise<readonly AuditEntry[]> {
      const found = await audit.newest({ actorId: userId }, { after: undefined, limit: MOST_ENTRIES })
      return found.map(({ entry }) => entry)
    },

    /** Sets all members; returns the broken rules, and undefined where the account may not sign in. */
    async updateProfile(
      change: OwnChange,
      profile: OwnProfile,
    ): Promise<readonly ProfileProblem[] | undefined> {
      const given = OWN_PROFILE_FIELDS.map(
        (field) => [field, profile[field].normalize('NFC').trim()] as const,
      )
      const problems = given.flatMap(([field, text]) => profileProblem(field, text))
      if (problems.length > 0) return problems
      const changes = Object.fromEntries(given.map(([field, text]) => [field, text === '' ? null : text]))
      const event = ownEvent('user.update', change, { details: { fields: ['profile'] } })
      return (await accounts.updateProfile(change, changes, now(), event)) && []
    },

    /**
     * Ends everything that was made for the account. When it resolves, no replica accepts it. Returns the account under
     * its new epochs, and undefined where it may not sign in.
     */
    async signOutEverywhere(change: OwnChange): Promise<VerifiedAccount | undefined> {
      const raised = await accounts.raiseEpoch(change, ownEvent('user.sign_out', change))
      if (raised === undefined) return undefined
      await publishEndings(raised.epochs)
      return raised.account
    },

    /**
     * Deletes the account with its rows. When it resolves, all its sessions and tokens have ended. Undefined, with nothing
     * deleted, where people may not delete their accounts, and for administrators: their roles go first. The person gets a
     * notice.
     */
    async delete(change: OwnChange): Promise<'done' | undefined> {
      if (!mayDelete) return undefined
      const deleted = await accounts.delete(change, now(), ownEvent('user.delete', change))
      if (deleted === undefined) return undefined
      const { epochs, notice } = deleted
      if (notice === 'no_server') {
        logger.warn('mail_not_queued', { userId: change.userId, reason: notice, kind: 'account_deleted' })
      }
      await publishEndings(epochs)
      return 'done'
    },
  }
}

const MOST_ENTRIES = 100
const MOST_CHARACTERS = 200

function profileProblem(field: OwnProfileField, text: string): readonly ProfileProblem[] {
  if (text === '') return field === 'displayName' ? [{ field, code: 'required' }] : []
  if ([...text].length > MOST_CHARACTERS) return [{ field, code: 'too_long' }]
  if (/\p{Cc}/u.test(text) || !PROFILE_SCHEMAS[field].safeParse(text).success) {
    return [{ field, code: 'invalid' }]
  }
  return []
}
