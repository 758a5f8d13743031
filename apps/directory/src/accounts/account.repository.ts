import { ADVISORY_LOCKS } from '@signet/platform/postgres/advisory-locks'
import type { Queryable } from '@signet/platform/postgres/pool'
import { emailAddressKey } from '@signet/protocol/email-address'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import { userNameKey } from '@signet/protocol/user-name'
import { givenColumns } from '../database/field-columns.ts'
import { insertRow, updateRow } from '../database/row-statement.ts'
import { type EpochRow, toEpoch } from '../epochs/epoch.repository.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type {
  Account,
  AccountChanges,
  AccountState,
  PasswordContext,
  PersonChanges,
  ServiceUserChanges,
} from './account.ts'
import { ACCOUNT_SELECT, type AccountRow, personColumns, toAccount } from './account-columns.ts'
import type { AccountFilter } from './account-filter.repository.ts'
import { listAccounts } from './account-list.repository.ts'
import type { SearchBounds } from './account-search.repository.ts'
import { addServiceUserRow, type DefaultClientId } from './default-client-id.repository.ts'

interface NewAccount {
  readonly id: string
  readonly organizationId: string
  readonly userName: string
  readonly state: AccountState | undefined
  readonly at: Date
}

interface NewPassword {
  readonly hash: string
  readonly changedAt: Date
  readonly changeRequired: boolean
}

/** Methods return the account's epochs after the change, or [] if there is no account. */
export class AccountStore {
  readonly #database: Queryable
  readonly #searchBounds: SearchBounds | undefined

  constructor(database: Queryable, searchBounds?: SearchBounds) {
    this.#database = database
    this.#searchBounds = searchBounds
  }

  async find(id: string): Promise<Account | undefined> {
    const { rows } = await this.#database.query<AccountRow>({
      name: 'account.find', // primary keys
      text: `${ACCOUNT_SELECT} WHERE a.user_id = $1`,
      values: [id],
    })
    return rows[0] && toAccount(rows[0])
  }

  list(filter: AccountFilter, request: PageRequest, seen?: SeenObjects): Promise<Page<Account>> {
    return listAccounts(this.#database, filter, request, { seen, bounds: this.#searchBounds })
  }

  /**
   * Whether another account of the organization has this verified address. Until the transaction ends, no other one that
   * asks gets an answer.
   */
  async isAddressTaken({
    organizationId,
    address,
    userId,
  }: {
    readonly organizationId: string
    readonly address: string
    readonly userId: string
  }): Promise<boolean> {
    const key = emailAddressKey(address)
    await this.#database.query({
      name: 'account.lock_address',
      text: `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.verifiedAddress}, hashtext($1))`,
      values: [`${organizationId} ${key}`],
    })
    const { rows } = await this.#database.query<{ taken: boolean }>({
      name: 'account.is_address_taken', // account_email
      text: `SELECT EXISTS (SELECT FROM directory.account
                             WHERE email_verified AND email_key = $2 AND organization_id = $1 AND user_id <> $3) AS taken`,
      values: [organizationId, key, userId],
    })
    return rows[0]?.taken ?? false
  }

  async addPerson({ changes, ...account }: NewAccount & { readonly changes: PersonChanges }): Promise<void> {
    await this.#database.query(
      insertRow('account', 'account', { ...accountColumns(account, 'human'), ...personColumns(changes) }),
    )
  }

  /** Adds a service user. An absent client_id is derived from the user name; see DefaultClientId. */
  async addServiceUser({
    changes,
    ...account
  }: NewAccount &
    DefaultClientId & { readonly changes: ServiceUserChanges & { readonly name: string } }): Promise<void> {
    const { id, organizationId, userName, reuses, generatedClientId } = account
    await this.#database.query(
      insertRow('account', 'account', {
        ...accountColumns(account, 'service_user'),
        display_name: changes.name,
      }),
    )
    await addServiceUserRow(this.#database, {
      userId: id,
      organizationId,
      userName: changes.clientId === undefined ? userName : null,
      reuses,
      generatedClientId,
    })
    await this.#updateServiceUser(id, changes)
  }

  /** Raises the epoch of an account that becomes inactive. Ignores fields of the other kind. */
  async update(
    { id, kind }: Pick<Account, 'id' | 'kind'>,
    { userName, state, ...changes }: AccountChanges,
    at: Date,
  ): Promise<readonly Epoch[]> {
    const columns = {
      ...(userName !== undefined && { user_name: userName, user_name_key: userNameKey(userName) }),
      ...(state !== undefined && { state }),
      ...(kind === 'human'
        ? personColumns(changes)
        : changes.name !== undefined && { display_name: changes.name }),
      updated_at: at,
    }
    await this.#database.query(updateRow('account', 'account', columns, { user_id: id }))
    if (kind === 'service_user') await this.#updateServiceUser(id, changes)
    return currentEpochs(this.#database, id)
  }

  async #updateServiceUser(id: string, changes: ServiceUserChanges) {
    const columns = givenColumns(SERVICE_USER_FIELDS, changes)
    if (Object.keys(columns).length === 0) return
    await this.#database.query(updateRow('account', 'service_user', columns, { user_id: id }))
  }

  async raiseEpoch(id: string): Promise<readonly Epoch[]> {
    await this.#database.query({
      name: 'account.raise_epoch', // primary key
      text: 'UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = $1',
      values: [id],
    })
    return currentEpochs(this.#database, id)
  }

  /** Reads the password rules of the organization, and the words of the person if `userId` is given. */
  async passwordContext(organizationId: string, userId?: string): Promise<PasswordContext> {
    const { rows } = await this.#database.query<PasswordContext>({
      name: 'account.password_context', // primary keys
      text: `SELECT directory.password_complexity(o.organization_id) AS complexity,
                    array_remove(ARRAY[a.user_name, a.email, a.given_name, a.family_name, a.nickname, a.display_name,
                                       o.primary_domain, o.name]::text[], NULL) AS words
               FROM directory.organization o
               LEFT JOIN directory.account a ON a.user_id = $2
              WHERE o.organization_id = $1`,
      values: [organizationId, userId ?? null],
    })
    return rows[0] ?? { words: [] }
  }

  /** Raises the epoch also for a first password or the same one. */
  async setPasswordAndRaiseEpoch(id: string, password: NewPassword): Promise<readonly Epoch[]> {
    const { rows } = await this.#database.query<{ epoch: number }>({
      name: 'account.lock', // primary key
      text: 'SELECT token_epoch AS epoch FROM directory.account WHERE user_id = $1 FOR UPDATE',
      values: [id],
    })
    const [before] = rows
    if (before === undefined) return []
    await this.writePassword(id, password)
    // The trigger raises the epoch only when it replaces an older password with another timestamp; this covers the rest.
    await this.#database.query({
      name: 'account.raise_epoch_above', // primary key
      text: 'UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = $1 AND token_epoch = $2',
      values: [id, before.epoch],
    })
    return currentEpochs(this.#database, id)
  }

  /** Raises the epoch only when it replaces a password with another timestamp. */
  async writePassword(id: string, { hash, changedAt, changeRequired }: NewPassword): Promise<void> {
    await this.#database.query({
      name: 'account_password.set', // primary key
      text: `INSERT INTO directory.account_password (user_id, hash, changed_at, change_required) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (user_id) DO UPDATE
                SET hash = excluded.hash, changed_at = excluded.changed_at, change_required = excluded.change_required`,
      values: [id, hash, changedAt, changeRequired],
    })
  }

  /** Returns false when the account has no password. */
  async requirePasswordChange(id: string, required: boolean): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      name: 'account_password.require_change', // primary key
      text: 'UPDATE directory.account_password SET change_required = $2 WHERE user_id = $1',
      values: [id, required],
    })
    return rowCount === 1
  }

  /** Returns the retired epochs of the id, of this deletion and earlier ones; [] if there was no such account. */
  async delete(id: string): Promise<readonly Epoch[]> {
    await this.#database.query({
      name: 'account.delete', // primary key
      text: 'DELETE FROM directory.account WHERE user_id = $1',
      values: [id],
    })
    const { rows } = await this.#database.query<EpochRow>({
      name: 'retired_epoch.of_account', // retired_epoch_owner
      text: `SELECT kind, id, max(epoch) AS epoch FROM directory.retired_epoch
              WHERE owner_kind = 'account' AND owner_id = $1 GROUP BY kind, id`,
      values: [id],
    })
    return rows.map(toEpoch)
  }
}

function accountColumns({ id, organizationId, userName, state, at }: NewAccount, kind: Account['kind']) {
  return {
    user_id: id,
    organization_id: organizationId,
    kind,
    user_name: userName,
    user_name_key: userNameKey(userName),
    state: state ?? 'active',
    created_at: at,
    updated_at: at,
  }
}

/** The epochs of the user, and of its client_id if it is a service user. */
async function currentEpochs(queryable: Queryable, id: string): Promise<readonly Epoch[]> {
  const { rows } = await queryable.query<EpochRow>({
    name: 'account.epochs', // primary keys
    text: `SELECT 'u' AS kind, user_id AS id, token_epoch AS epoch FROM directory.account WHERE user_id = $1
            UNION ALL
           SELECT 'c', s.client_id, a.token_epoch
             FROM directory.service_user s JOIN directory.account a USING (user_id)
            WHERE s.user_id = $1 AND s.client_id IS NOT NULL`,
    values: [id],
  })
  return rows.map(toEpoch)
}
