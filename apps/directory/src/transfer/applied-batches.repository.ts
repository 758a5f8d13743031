import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import { ADVISORY_LOCKS } from '@signet/platform/postgres/advisory-locks'
import type { Queryable } from '@signet/platform/postgres/pool'
import type { PasswordComplexity } from '../accounts/account.ts'
import { auditTable } from '../audit/audit-table.ts'
import {
  CONSUMER_RULE,
  concernsLastOwner,
  DELETING_RULE,
  DETAIL_TYPE_RULE,
  FOREIGN_NAME_RULE,
  LAST_OWNER_RULE,
  RESOURCE_RULE,
  signingAlgorithmProblem,
  TOMBSTONE_RULE,
} from '../database/constraint-conflict.ts'
import { useIndexes } from '../database/import-table.repository.ts'
import type { AppliedBatchStore, Batch, BatchOutcome, PlannedObject } from './batch.ts'
import { crossingEvents } from './crossing.ts'
import type { StoreUndoOutcomes, UndoOrder } from './undo-batches.ts'

/**
 * Deletes outcomes that can no longer be asked for: a stopped job can be resumed within a day, and then runs
 * for at most a day.
 */
export async function forgetAppliedBatches(database: Queryable): Promise<void> {
  await database.query({
    name: 'transfer.batch.forget', // applied_batch_age
    text: `DELETE FROM directory.applied_batch WHERE applied_at < now() - interval '7 days'`,
  })
}

export const postgresAppliedBatches: AppliedBatchStore = {
  useIndexes,

  async claim(tx, jobId, batches) {
    // A parallel attempt of the same batch waits here, and then finds its outcome. Locked in one order by all.
    await tx.query({
      name: 'transfer.batch.lock',
      text: `SELECT pg_advisory_xact_lock($1, key)
               FROM (SELECT DISTINCT hashtext($2::text || ' ' || batch) AS key FROM unnest($3::bigint[]) AS r (batch)
                      ORDER BY key OFFSET 0) keys`,
      values: [ADVISORY_LOCKS.importBatch, jobId, batches],
    })
    const { rows } = await tx.query<BatchOutcome & { batch: number }>({
      name: 'transfer.batch.find', // primary key
      text: `SELECT batch, outcomes, failures, notes FROM directory.applied_batch
              WHERE job_id = $1 AND batch = ANY ($2::bigint[])`,
      values: [jobId, batches],
    })
    return new Map(rows.map(({ batch, ...outcome }) => [batch, outcome]))
  },

  async close(tx, jobId, batches) {
    const numbers = batches.map(({ batch }) => batch)
    const applied = await this.claim(tx, jobId, numbers)
    const closed = batches
      .filter(({ batch }) => !applied.has(batch))
      .map(({ batch, recordCount }) => ({
        batch: { batch },
        outcome: { outcomes: 'f'.repeat(recordCount), failures: [], notes: [] },
      }))
    if (closed.length > 0) await storeOutcomes(tx, jobId, closed)
    return applied
  },

  async store(tx, applied) {
    await storeOutcomes(tx, applied[0]?.batch.jobId ?? '', applied)
    const written = applied.filter(({ outcome }) => /[cu]/.test(outcome.outcomes))
    await auditTable.record(
      tx,
      ...written.flatMap(({ batch, outcome, crossings }) => [
        importEvent(batch, outcome.outcomes),
        ...crossings.flatMap((crossing) => crossingEvents(crossing, batch)),
      ]),
    )
  },

  async passwordComplexities(database, organizationIds) {
    const { rows } = await database.query<{ id: string; document: PasswordComplexity | null }>({
      name: 'transfer.password_complexities', // primary key
      text: 'SELECT id, directory.password_complexity(id) AS document FROM unnest($1::text[]) AS r (id)',
      values: [organizationIds],
    })
    return new Map(rows.flatMap(({ id, document }) => (document === null ? [] : [[id, document] as const])))
  },

  insertPlaceholders: async (tx, jobId, planned) => {
    const placeholders = (state: 'on' | 'off') =>
      tx.query({
        name: 'transfer.placeholders',
        text: "SELECT set_config('signet.placeholders', $1, true)",
        values: [state],
      })
    await placeholders('on')
    for (const kind of Object.keys(PLACEHOLDERS)) {
      const objects = planned.filter((object) => object.kind === kind)
      if (objects.length > 0) await insertPlaceholdersOf(tx, kind, jobId, objects)
    }
    await placeholders('off')
  },

  async savepoint(tx, work) {
    await tx.query({ name: 'transfer.savepoint', text: 'SAVEPOINT record' })
    try {
      await work()
      await tx.query({ name: 'transfer.savepoint.release', text: 'RELEASE SAVEPOINT record' })
    } catch (error) {
      await tx.query({ name: 'transfer.savepoint.undo', text: 'ROLLBACK TO SAVEPOINT record' })
      throw error
    }
  },

  brokenRule(error) {
    if (concernsLastOwner(error)) return { message: LAST_OWNER_RULE }
    const { code = '', constraint } = error as { code?: string; constraint?: string }
    // Class 23: a constraint; 22: a value that a column cannot hold.
    if (!/^2[23]/.test(code)) return undefined
    const message = constraintRule(error, { code, constraint })
    return code === FOREIGN_KEY_VIOLATION ? { message, isMissing: true } : { message }
  },
}

const UNIQUE_VIOLATION = '23505'
/** A record is only written, so the row that it refers to is the one that is not there. */
const FOREIGN_KEY_VIOLATION = '23503'

function constraintRule(
  error: unknown,
  { code, constraint }: { readonly code: string; readonly constraint: string | undefined },
): string {
  const signing = signingAlgorithmProblem(error)
  if (signing !== undefined) return `${signing.field} ${signing.rule}`
  if (constraint === 'tombstone_rule') return TOMBSTONE_RULE
  if (constraint === 'organization_deleting') return DELETING_RULE
  if (constraint === 'foreign_name_rule') return FOREIGN_NAME_RULE
  if (constraint === 'authorization_detail_type_pkey') return `authorizationDetailTypes ${DETAIL_TYPE_RULE}`
  if (constraint === 'identity_provider_consumer') return `assertionConsumerPath ${CONSUMER_RULE}`
  if (constraint === 'project_resource_uri') return `resourceUri ${RESOURCE_RULE}`
  if (code === UNIQUE_VIOLATION) return `the same ${constraint ?? 'object'} exists already`
  return `breaks the rule ${constraint ?? code} of the directory`
}

async function storeOutcomes(
  tx: Queryable,
  jobId: string,
  applied: readonly { readonly batch: Pick<Batch, 'batch'>; readonly outcome: BatchOutcome }[],
): Promise<void> {
  const rows = applied.map(({ batch: { batch }, outcome: { outcomes, failures, notes } }) => {
    // json_to_recordset refuses half of a surrogate pair, which a document may hold.
    return { batch, outcomes, failures, notes: notes.map((note) => note.toWellFormed()) }
  })
  await tx.query({
    name: 'transfer.batch.store', // primary key
    text: `INSERT INTO directory.applied_batch (job_id, batch, outcomes, failures, notes, xid)
           SELECT $1, batch, outcomes, failures, notes, pg_current_xact_id()
             FROM json_to_recordset($2::json) AS r (batch bigint, outcomes text, failures jsonb, notes text[])`,
    values: [jobId, JSON.stringify(rows)],
  })
}

/** The outcomes of batches of an undo, beside those of imports. */
export const storeUndoOutcomes: StoreUndoOutcomes = async (
  tx,
  { jobId, importJobId, force, actor },
  undone,
) => {
  const stored = undone.map(({ batch, outcomes, kept }) => {
    return { batch: { batch }, outcome: { outcomes, failures: kept, notes: [] } }
  })
  if (stored.length > 0) await storeOutcomes(tx, jobId, stored)
  const events = undone.flatMap((batchOfUndo) => {
    const { batch, outcomes, list, organizationId } = batchOfUndo
    const count = (letter: string) => outcomes.split(letter).length - 1
    const [deleted, restored] = [count('d'), count('r')]
    if (deleted + restored === 0) return []
    return [
      {
        actor,
        action: 'undo.batch',
        target: { kind: 'organization', id: organizationId },
        organizationId,
        result: 'success' as const,
        details: { job_id: jobId, import_job_id: importJobId, batch, list, deleted, restored, force },
      },
      ...linkEvents(batchOfUndo, { jobId, importJobId, force, actor }),
    ]
  })
  await auditTable.record(tx, ...events)
}

/** An event for each link that an undo took away, and for each that a forced one may have given back. */
function linkEvents(
  { list, objects, outcomes, organizationId }: Parameters<StoreUndoOutcomes>[2][number],
  { jobId, importJobId, force, actor }: Omit<UndoOrder, 'batches'>,
): readonly AuditEvent[] {
  if (list !== 'userLinks') return []
  return objects.flatMap(({ index, key: [, linkId = ''], before }) => {
    const letter = outcomes[index]
    const isRestored = (before?.identity_link ?? []).length > 0
    const isTakenBack = letter === 'd' || (letter === 'r' && (!isRestored || force))
    if (linkId === '' || !isTakenBack) return []
    return [
      {
        actor,
        action: isRestored ? 'identity_link.create' : 'identity_link.delete',
        target: { kind: 'identity_link', id: linkId },
        organizationId,
        result: 'success' as const,
        details: { job_id: jobId, import_job_id: importJobId },
      },
    ]
  })
}

function importEvent({ jobId, batch, list, organizationId, actor }: Batch, outcomes: string) {
  const count = (letter: string) => outcomes.split(letter).length - 1
  return {
    actor,
    action: 'import.batch',
    target: { kind: 'organization', id: organizationId },
    organizationId,
    result: 'success' as const,
    details: { job_id: jobId, batch, list, created: count('c'), updated: count('u') },
  }
}

/** Placeholders of a dry run, so that later batches can refer to the objects; existing rows stay. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  organization: `WITH made AS (INSERT INTO directory.organization (organization_id, name, primary_domain, import_job_id)
                               SELECT id, 'planned', md5(id) || '.planned.invalid', $3 FROM unnest($1::text[], $2::text[]) AS r (id, owner)
                                   ON CONFLICT DO NOTHING RETURNING organization_id, primary_domain)
                 INSERT INTO directory.organization_domain (organization_id, domain, is_verified)
                 SELECT organization_id, primary_domain, false FROM made`,
  principal: `INSERT INTO directory.account (user_id, organization_id, kind, user_name, user_name_key, display_name)
              SELECT id, owner, 'human', id || ' planned', id || ' planned', id FROM unnest($1::text[], $2::text[]) AS r (id, owner)
               WHERE NOT EXISTS (SELECT FROM directory.principal p WHERE p.principal_id = id)`,
  serviceUser: `INSERT INTO directory.service_user (user_id)
                SELECT a.user_id FROM directory.account a WHERE a.user_id = ANY ($1::text[]) AND $2::text[] IS NOT NULL
                    ON CONFLICT DO NOTHING`,
  project: `INSERT INTO directory.project (project_id, organization_id, name)
            SELECT id, owner, 'planned' FROM unnest($1::text[], $2::text[]) AS r (id, owner) ON CONFLICT DO NOTHING`,
  role: `INSERT INTO directory.project_role (project_id, role_key, display_name)
         SELECT owner, id, id FROM unnest($1::text[], $2::text[]) AS r (id, owner) ON CONFLICT DO NOTHING`,
  idp: `INSERT INTO directory.identity_provider (provider_id, organization_id, name, issuer, client_id, client_authentication, scopes, state)
        SELECT id, owner, 'planned', 'https://planned.invalid', 'planned', 'none', '{openid}', 'inactive'
          FROM unnest($1::text[], $2::text[]) AS r (id, owner)
         WHERE NOT EXISTS (SELECT FROM directory.carried_record c
                            WHERE c.organization_id = owner AND c.list = 'oidcIdps' AND c.record_key = id)
            ON CONFLICT DO NOTHING`,
  application: `INSERT INTO directory.application (application_id, client_id, project_id, name, type, auth_method,
                                                   response_types, grant_types)
                SELECT id, 'planned.' || md5(id), owner, 'planned', 'api', 'none', '{}', '{}'
                  FROM unnest($1::text[], $2::text[]) AS r (id, owner) ON CONFLICT DO NOTHING`,
}

async function insertPlaceholdersOf(
  tx: Queryable,
  kind: string,
  jobId: string,
  objects: readonly PlannedObject[],
): Promise<void> {
  await tx.query({
    name: `transfer.imagine.${kind}`, // primary keys
    text: PLACEHOLDERS[kind] ?? '',
    values: [
      objects.map(({ id }) => id),
      objects.map(({ ownerId }) => ownerId),
      ...(kind === 'organization' ? [jobId] : []),
    ],
  })
}
