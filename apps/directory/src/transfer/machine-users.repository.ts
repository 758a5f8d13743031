import type { RecordOf } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import { IDENTIFIER } from '@signet/tokens/identifiers'
import { isReservedByTombstone } from '../accounts/default-client-id.repository.ts'
import { type CarriedSealing, writeCarried } from '../carried/carried.repository.ts'
import { columnNames, importedColumns, newValues, recordColumns } from '../database/field-columns.ts'
import {
  type ConflictRow,
  setGiven,
  setSecrets,
  toConflicts,
  withGiven,
  writeRows,
} from '../database/import-table.repository.ts'
import { addAccounts, changeAccounts, findAccountConflicts } from './accounts.repository.ts'
import { secretRows } from './application-rows.ts'
import type { BatchContext, TypedWriter } from './record-writer.ts'
import { machineUsersUnderRules } from './signing-algorithms.repository.ts'
import { machineUserExtras, machineUserKey, machineUserRow, newMachineUserRow } from './user-rows.ts'

export function machineUserWriter(sealing: CarriedSealing): TypedWriter<RecordOf<'machineUsers'>> {
  const writeParts = async (
    tx: Queryable,
    users: readonly RecordOf<'machineUsers'>[],
    { organizationIds }: BatchContext,
  ) => {
    const secrets = users.flatMap((user) => secretRows(user.userId, user))
    await writeRows(tx, SET_SECRETS, secrets)
    const extras = users.map((user, index) => {
      const { userId } = user
      const organizationId = organizationIds[index] ?? ''
      return { organizationId, list: 'machineUsers', key: userId, userId, content: machineUserExtras(user) }
    })
    await writeCarried(tx, sealing, extras)
  }
  return {
    // The client id is the user name where that is free.
    inOrder: true,
    underRules: machineUsersUnderRules,
    async findConflicts(tx, users, context) {
      const conflicts = new Map(await findAccountConflicts(tx, users.map(machineUserKey), context))
      const { rows } = await tx.query<ConflictRow>({
        name: 'transfer.service_user.find_conflicts', // primary key
        text: `SELECT r.place, 'the client id belongs to another user, service user or application' AS reason
                 FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (user_id, client_id, place)
                 JOIN directory.principal p ON p.principal_id = r.client_id
                WHERE p.owner_kind <> 'account' OR p.owner_id <> r.user_id`,
        values: [users.map(({ userId }) => userId), users.map(({ clientId }) => clientId ?? null)],
      })
      for (const [index, conflict] of toConflicts(rows)) conflicts.set(index, conflict)
      return conflicts
    },
    async insert(tx, users, context) {
      await addAccounts(tx, users.map(newMachineUserRow), context)
      const rows = serviceUserRows(users, context)
      await writeRows(tx, ADD_SERVICE_USERS, rows, IDENTIFIER.source)
      await writeParts(tx, users, context)
    },
    async update(tx, users, context) {
      await changeAccounts(tx, users.map(machineUserRow), context.acceptedAt)
      await writeRows(tx, CHANGE_SERVICE_USERS, serviceUserRows(users, context).map(withGiven))
      await writeParts(tx, users, context)
    },
  }
}

const TOKEN_TYPES = { ACCESS_TOKEN_TYPE_BEARER: 'bearer', ACCESS_TOKEN_TYPE_JWT: 'jwt' } as const

const serviceUserRows = (users: readonly RecordOf<'machineUsers'>[], { organizationIds }: BatchContext) =>
  users.map((record, index) => ({
    user_id: record.userId,
    organization_id: organizationIds[index],
    user_name: record.user.userName.trim(),
    ...importedColumns(SERVICE_USER_FIELDS, record),
    access_token_type: record.user.accessTokenType && TOKEN_TYPES[record.user.accessTokenType],
  }))

/** The client id does not change, and is made of the user name. */
const { clientId: _, ...SETTINGS } = SERVICE_USER_FIELDS
const SETTING_COLUMNS = columnNames(SETTINGS)

/** docs/spec 4.2: the default client id is the user name; where that is taken, userName@primaryDomain. */
const ADD_SERVICE_USERS = {
  name: 'transfer.service_user.add', // primary keys
  text: `INSERT INTO directory.service_user (user_id, client_id, ${SETTING_COLUMNS.join(', ')})
         SELECT r.user_id,
                coalesce(r.client_id,
                  (SELECT candidate FROM (VALUES (1, r.user_name), (2, r.user_name || '@' || o.primary_domain)) c (rank, candidate)
                    WHERE candidate ~ $2 AND candidate NOT IN ('signet', 'zitadel')
                      AND NOT EXISTS (SELECT FROM directory.principal p
                                       WHERE p.principal_id = candidate AND p.owner_id <> r.user_id)
                      AND NOT directory.is_foreign_project(candidate, r.organization_id)
                      AND NOT ${isReservedByTombstone('candidate', 'r.organization_id', 'true')}
                    ORDER BY rank LIMIT 1)),
                ${newValues(SETTINGS, 'r')}
           FROM json_to_recordset($1::json)
             AS r (user_id text, organization_id text, client_id text, user_name text, ${recordColumns(SETTINGS)})
           JOIN directory.organization o ON o.organization_id = r.organization_id`,
}

const CHANGE_SERVICE_USERS = {
  name: 'transfer.service_user.change', // primary key
  text: `UPDATE directory.service_user t SET ${setGiven(SETTING_COLUMNS)}
           FROM json_to_recordset($1::json)
             AS r (user_id text, ${recordColumns(SETTINGS)}, given text[])
          WHERE t.user_id = r.user_id`,
}

const SET_SECRETS = setSecrets('service_user_secret', 'user_id')
