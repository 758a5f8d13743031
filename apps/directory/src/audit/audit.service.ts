import { CURSOR_RULE } from '@signet/admin-api/cursor'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { AUDIT_CHAINS, type AuditChain } from '@signet/tokens/audit-head'
import type { ManagementCall } from '../api/management-call.ts'
import { NAMED_KINDS, type NamedKind } from '../permissions/object-name.ts'
import { type NameReads, namesFor } from '../permissions/object-names.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ActivityStore } from './activity.repository.ts'
import type { AuditChainReader, ChainPosition } from './audit-chain.ts'
import type { AuditEntryStore } from './audit-entry.repository.ts'
import type { AuditEntry, AuditedObject, AuditFilter, AuditPosition } from './audit-entry.ts'
import { headEvent, type OcsfEvent, rowEvent } from './ocsf.ts'

/** The spans of time in which activity is counted, by the hours that are asked for. */
const STEPS = [
  { hours: 6, seconds: 300 },
  { hours: 48, seconds: 3_600 },
  { hours: Number.POSITIVE_INFINITY, seconds: 6 * 3_600 },
] as const

/** Sign-ins, refusals and sign-outs over time; every span of the time is there. */
export async function countActivity(
  { seen }: ManagementCall,
  { hours, organizationId }: { readonly hours: number; readonly organizationId?: string | undefined },
  { stores }: { readonly stores: { readonly activity: ActivityStore } },
) {
  const stepSeconds = STEPS.find((step) => hours <= step.hours)?.seconds ?? 0
  const end = await stores.activity.now()
  const first = Math.floor((end - hours * 3_600) / stepSeconds) * stepSeconds
  const from = new Date(first * 1000)
  const { counts, since } = await stores.activity.count({ from, stepSeconds, organizationId, seen })
  const known = new Map(counts.map(({ at, ...numbers }) => [at, numbers]))
  const spans = Array.from({ length: Math.floor((end - first) / stepSeconds) + 1 }, (_, index) => {
    const at = first + index * stepSeconds
    return { at: new Date(at * 1000), signIns: 0, refused: 0, signOuts: 0, ...known.get(at) }
  })
  return { stepSeconds, since: since === undefined ? undefined : new Date(since * 1000), spans }
}

interface Stores {
  readonly auditChain: AuditChainReader
  readonly auditEntries: AuditEntryStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

/** Audit events of all services, newest first. */
export async function listAudit(
  call: ManagementCall<Stores>,
  { limit, cursor, ...filter }: AuditFilter & PageRequest,
  services: Reads & NameReads,
): Promise<Page<AuditEntry>> {
  const { seen } = call
  const after = cursor === undefined ? undefined : readEntryPosition(cursor)
  const found = await services.stores.auditEntries.newest({ ...filter, seen }, { after, limit: limit + 1 })
  const items = await withNames(
    call,
    found.slice(0, limit).map(({ entry }) => entry),
    services,
  )
  const last = found.length > limit ? found[limit - 1]?.position : undefined
  return { items, nextCursor: last && writeEntryPosition(last) }
}

export const writeEntryPosition = ({ microseconds, id }: AuditPosition): string => `${microseconds} ${id}`

async function withNames(
  call: ManagementCall<Stores>,
  entries: readonly AuditEntry[],
  services: NameReads,
): Promise<readonly AuditEntry[]> {
  const objects = entries.flatMap(({ actor, target }) => (target ? [actor, target] : [actor]))
  const idsOf = (kind: NamedKind) => [
    ...new Set(objects.flatMap((object) => (kindOf(object) === kind ? (object.id ?? []) : []))),
  ]
  const organizations = entries.flatMap(({ organizationId }) => organizationId ?? [])
  const nameOf = await namesFor(
    call,
    {
      user: idsOf('user'),
      project: idsOf('project'),
      application: idsOf('application'),
      organization: [...new Set([...idsOf('organization'), ...organizations])],
    },
    services,
  )
  const named = (object: AuditedObject): AuditedObject => {
    const kind = kindOf(object)
    const { id } = object
    return kind === undefined || id === undefined ? object : { ...object, name: nameOf(kind, id)?.name }
  }
  return entries.map((entry) => ({
    ...entry,
    actor: named(entry.actor),
    ...(entry.target && { target: named(entry.target) }),
    organizationName: entry.organizationId && nameOf('organization', entry.organizationId)?.name,
  }))
}

/** The kind of the object that the id of an actor or a target is of. */
function kindOf({ kind }: AuditedObject): NamedKind | undefined {
  if (kind === 'human' || kind === 'service_user' || kind.endsWith('_member')) return 'user'
  if (kind.endsWith('_policy')) return 'organization'
  return NAMED_KINDS.find((known) => known === kind)
}

export function readEntryPosition(cursor: string): AuditPosition {
  const [, microseconds, id] = /^(\d{1,16}) ([0-9a-f-]{36})$/.exec(cursor) ?? []
  if (microseconds !== undefined && id !== undefined) return { microseconds: Number(microseconds), id }
  throw invalidFields([{ field: 'cursor', rule: CURSOR_RULE }])
}

/** The segments of one log with their rows, the signed head, and rows that no segment lists. */
export async function readChain(
  _call: ManagementCall<Stores>,
  { log, cursor }: { readonly log: AuditChain; readonly cursor?: string | undefined },
  { stores: { auditChain } }: Reads,
) {
  const position = cursor === undefined ? { after: 0, from: 0 } : readChainPosition(cursor)
  if (!(await auditChain.chains()).includes(log)) return { segments: [], added: [], unsealed: 0 }
  // Before the segments: the head is of one of them, or of an earlier one.
  const head = await auditChain.head(log)
  const { segments, added, next } = await auditChain.page(log, position)
  return {
    head,
    segments: segments.map(({ rows, ...segment }) => ({ ...segment, rows: rows && [...rows] })),
    added: [...added],
    unsealed: await auditChain.unsealed(log),
    nextCursor: next && `${next.after} ${next.from}`,
  }
}

function readChainPosition(cursor: string): ChainPosition {
  const [, after, from] = /^(\d{1,15}) (\d{1,16})$/.exec(cursor) ?? []
  if (after !== undefined && from !== undefined) return { after: Number(after), from: Number(from) }
  throw unknownCursor()
}

/** The number of the segment and of the row in it up to which each log was read. */
type Positions = Readonly<Partial<Record<AuditChain, readonly [segment: number, row: number]>>>

/**
 * Sealed rows of all logs as events of OCSF, each log in the order of its chain, and the signed heads. `unmapped.cursor` of
 * an event continues after it. Each row is returned once per cursor, those of transactions that commit late included.
 */
export async function exportAudit(
  _call: ManagementCall<Stores>,
  { cursor }: { readonly cursor?: string | undefined },
  { stores: { auditChain } }: Reads,
): Promise<OcsfEvent[]> {
  let positions = cursor === undefined ? {} : readPositions(cursor)
  const events: OcsfEvent[] = []
  for (const log of await auditChain.chains()) {
    const head = await auditChain.head(log)
    const found = await readRows(auditChain, log, positions[log] ?? [0, 0])
    for (const { position, content } of found) {
      positions = { ...positions, [log]: position }
      if (content === undefined) continue
      events.push(rowEvent(log, content, { position, cursor: writePositions(positions) }))
    }
    if (head !== undefined) events.push(headEvent(log, head, writePositions(positions)))
  }
  return events
}

async function readRows(
  reader: AuditChainReader,
  log: AuditChain,
  [segment, row]: readonly [number, number],
) {
  const segments = await reader.segmentsWithRows(log, Math.max(segment - 1, 0))
  return segments.flatMap(({ number, rows = [] }) =>
    rows
      .map(({ content }, n) => ({ position: [number, n + 1] as const, content }))
      .filter(({ position }) => number > segment || position[1] > row),
  )
}

const writePositions = (positions: Positions): string =>
  AUDIT_CHAINS.flatMap((log) => (positions[log] ? `${log}-${positions[log].join('-')}` : [])).join('.')

function readPositions(cursor: string): Positions {
  const entries = cursor.split('.').map((part) => {
    const [, log, segment, row] = /^([a-z]+)-(\d{1,15})-(\d{1,6})$/.exec(part) ?? []
    if (!AUDIT_CHAINS.some((name) => name === log)) throw unknownCursor()
    return [log, [Number(segment), Number(row)]]
  })
  return Object.fromEntries(entries)
}

const unknownCursor = () =>
  invalidFields([{ field: 'cursor', rule: 'must be the cursor of an answer before' }])
