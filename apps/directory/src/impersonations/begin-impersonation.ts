import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Clock } from '@signet/platform/runtime/clock'
import type { MemberStore } from '../permissions/member.repository.ts'
import type {
  ImpersonatedAccount,
  ImpersonationStore,
  StoredImpersonation,
} from './impersonation.repository.ts'
import {
  hashOfToken,
  type ImpersonationRefusal,
  refusedImpersonation,
  SESSION_MS,
} from './impersonation-rules.ts'

/** The notice to the person as whom an administrator acts. */
export interface ImpersonationNotice {
  readonly userId: string
  readonly administrator: string | undefined
  readonly reason: string
  readonly at: Date
}

/** The stores of one transaction. */
export interface ImpersonationStores {
  readonly impersonations: ImpersonationStore
  readonly members: Pick<MemberStore, 'counting'>
  record(event: AuditEvent): Promise<void>
  /** Requests the notice that tells the person. */
  notify(notice: ImpersonationNotice): Promise<void>
}

interface Dependencies {
  readonly impersonations: Pick<ImpersonationStore, 'find' | 'findAccount'>
  readonly transact: <T>(work: (stores: ImpersonationStores) => Promise<T>) => Promise<T>
  readonly now: Clock
}

/** A link with the person that it names. */
export interface FoundImpersonation extends StoredImpersonation {
  readonly account: ImpersonatedAccount
}

export interface BegunImpersonation extends FoundImpersonation {
  readonly endsAt: Date
}

interface Opening {
  readonly token: string
  /** The person who opens the link. */
  readonly administratorId: string
  readonly clientAddress: string | undefined
}

export interface Impersonations {
  /** The impersonation of a link that was not opened yet. */
  find(token: string): Promise<FoundImpersonation | undefined>
  /**
   * Uses the link of an administrator up and records the impersonation. Of concurrent calls one gets it. Each rule has to hold now;
   * undefined: the administrator has no such link.
   */
  begin(
    opening: Opening,
  ): Promise<BegunImpersonation | { readonly refused: ImpersonationRefusal } | undefined>
}

export function createImpersonations({ impersonations, transact, now }: Dependencies): Impersonations {
  return {
    async find(token) {
      const found = await impersonations.find(hashOfToken(token), now())
      const account = found && (await impersonations.findAccount(found.userId))
      return found && account && { ...found, account }
    },
    begin: ({ token, administratorId, clientAddress }) =>
      transact(async (stores) => {
        const at = now()
        const endsAt = new Date(at.getTime() + SESSION_MS)
        const link = { tokenHash: hashOfToken(token), administratorId }
        const begun = await stores.impersonations.begin(link, { now: at, endsAt })
        const account = begun && (await stores.impersonations.findAccount(begun.userId))
        if (begun === undefined || account === undefined) return undefined
        const held = await stores.members.counting(administratorId)
        const roles = await stores.members.counting(begun.userId)
        const refused = refusedImpersonation({ administratorId, held, account, roles })
        const event = {
          actor: { kind: 'human', id: administratorId },
          action: 'impersonation.begin',
          target: { kind: 'user', id: begun.userId },
          organizationId: account.organizationId,
          clientAddress,
        } as const
        const details = { impersonation_id: begun.id, reason: begun.reason }
        if (refused !== undefined) {
          await stores.impersonations.delete(begun.id)
          await stores.record({ ...event, result: 'refused', details: { ...details, rule: refused } })
          return { refused }
        }
        await stores.record({
          ...event,
          result: 'success',
          details: { ...details, ends_at: endsAt.toISOString() },
        })
        const administrator = await stores.impersonations.findDisplayName(administratorId)
        await stores.notify({ userId: begun.userId, administrator, reason: begun.reason, at })
        return { ...begun, account, endsAt }
      }),
  }
}
