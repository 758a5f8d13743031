import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { Database } from '@signet/platform/postgres/pool'
import { AccountStore } from '../accounts/account.repository.ts'
import type { PasswordContext } from '../accounts/account.ts'
import { auditTable } from '../audit/audit-table.ts'
import type { Epoch } from '../epochs/epoch.ts'
import { requestNotice } from '../mail/notices.ts'
import { NOTHING_DEMANDED, type VerifiedAccount } from './verify-password.ts'

interface CurrentPassword {
  readonly organizationId: string
  readonly hash: string
  /** The rules that hold for a new one. */
  readonly context: PasswordContext
}

interface NewPassword {
  readonly userId: string
  /** The hash of the password that is replaced. */
  readonly before: string
  readonly hash: string
  readonly at: Date
  /** The epochs of the session in which the person asks; under others nothing changes. Absent before there is a session. */
  readonly epochs?: Pick<VerifiedAccount, 'userEpoch' | 'organizationEpoch'> | undefined
}

export class PasswordChangeStore {
  readonly #database: Database
  readonly #whichever: boolean

  /** `required`: only passwords that their owner has to change; `any`: all. */
  constructor(database: Database, which: 'required' | 'any') {
    this.#database = database
    this.#whichever = which === 'any'
  }

  /** Undefined unless the account may sign in with a password that this store may change. */
  async find(userId: string): Promise<CurrentPassword | undefined> {
    const { rows } = await this.#database.query<Omit<CurrentPassword, 'context'>>({
      name: 'account_password.find_to_change', // primary keys
      text: `SELECT a.organization_id AS "organizationId", p.hash
               FROM directory.account_password p
               JOIN directory.account a USING (user_id)
               JOIN directory.organization o USING (organization_id)
              WHERE p.user_id = $1 AND (p.change_required OR $2) AND a.state = 'active' AND o.state = 'active'`,
      values: [userId, this.#whichever],
    })
    const [current] = rows
    if (current === undefined) return undefined
    const accounts = new AccountStore(this.#database)
    return { ...current, context: await accounts.passwordContext(current.organizationId, userId) }
  }

  /** Stores the password with the event. Undefined when it was changed in the meantime. */
  change(
    { userId, before, hash, at, epochs: session }: NewPassword,
    event: AuditEvent,
  ): Promise<{ readonly account: VerifiedAccount; readonly epochs: readonly Epoch[] } | undefined> {
    return this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<Pick<VerifiedAccount, 'organizationId' | 'organizationEpoch'>>({
        name: 'account_password.lock_to_change', // primary keys
        text: `SELECT o.organization_id AS "organizationId", o.token_epoch AS "organizationEpoch"
                 FROM directory.account_password p
                 JOIN directory.account a USING (user_id)
                 JOIN directory.organization o USING (organization_id)
                WHERE p.user_id = $1 AND (p.change_required OR $3) AND p.hash = $2
                  AND a.token_epoch = coalesce($4, a.token_epoch) AND o.token_epoch = coalesce($5, o.token_epoch)
                  FOR UPDATE OF p, a`,
        values: [
          userId,
          before,
          this.#whichever,
          session?.userEpoch ?? null,
          session?.organizationEpoch ?? null,
        ],
      })
      const [organization] = rows
      if (organization === undefined) return undefined
      const password = { hash, changedAt: at, changeRequired: false }
      const epochs = await new AccountStore(tx).setPasswordAndRaiseEpoch(userId, password)
      await requestNotice(tx, { kind: 'password_changed', userId, at })
      await auditTable.record(tx, event)
      const account = {
        userId,
        ...organization,
        userEpoch: epochs.find(({ kind }) => kind === 'user')?.epoch ?? 0,
        ...NOTHING_DEMANDED,
      }
      return { account, epochs }
    })
  }
}
