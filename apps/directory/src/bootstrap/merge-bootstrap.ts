import type { AuditEvent } from '@signet/audit-trail/audit-event'
import type { Logger } from '@signet/service-runtime/logger'
import { ConfigurationError } from '@signet/service-runtime/settings'
import type { FingerprintStore, StoredObject } from '../stores/bootstrap-fingerprint-store.ts'
import type { DesiredField, DesiredObject, ObjectKind } from './desired-object.ts'
import type { Fingerprints } from './fingerprint.ts'

/** An object with the ids of everything above it settled. */
export interface PlacedObject {
  readonly desired: DesiredObject
  readonly id: string
  readonly parent?: PlacedObject
}

export type FieldValues = ReadonlyMap<string, unknown>

/** Writes one kind of object. Throws ObjectConflict when the database cannot take it. */
export interface ObjectWriter {
  /** `elsewhere`: the id belongs to an object with another owner. */
  find(object: PlacedObject): Promise<'present' | 'absent' | 'elsewhere'>
  /** Makes it with the values of the file and the defaults for the rest. */
  create(object: PlacedObject, values: FieldValues): Promise<void>
  update(object: PlacedObject, values: FieldValues): Promise<void>
}

/** Why the database did not take an object; `member` is set when one of its members is to blame. */
export class ObjectConflict extends Error {
  override readonly name = 'ObjectConflict'
  readonly member: string | undefined

  constructor(message: string, { member, cause }: { member?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.member = member
  }
}

export interface BootstrapCounts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}

interface Dependencies {
  /** Records what was made or changed, in the transaction that did it. */
  readonly record: (event: AuditEvent) => Promise<void>
  readonly writers: Readonly<Record<ObjectKind, ObjectWriter>>
  readonly stored: FingerprintStore
  readonly fingerprints: Fingerprints
  readonly newId: () => string
  readonly logger: Logger
}

type Outcome = 'created' | 'updated' | 'unchanged' | 'gone'

/**
 * The three-way merge: what the file said last, what it says now, what the database holds. A field is written when
 * the file changed its mind about it; an object that was deleted since stays so until the file changes it.
 */
export async function mergeBootstrap(
  objects: readonly DesiredObject[],
  { record, writers, stored, fingerprints, newId, logger }: Dependencies,
): Promise<BootstrapCounts> {
  const known = await stored.load()
  const placed = new Map<DesiredObject, PlacedObject>()
  const counts = { created: 0, updated: 0, unchanged: 0, gone: 0 }
  for (const desired of objects) {
    const parent = desired.parent && placed.get(desired.parent)
    if (desired.parent !== undefined && parent === undefined) {
      logger.info('bootstrap_owner_deleted', { kind: desired.kind, field: desired.path })
      continue
    }
    const before = known.get(desired.kind)?.get(desired.key)
    const object = { desired, id: before?.objectId ?? desired.id ?? newId(), ...(parent && { parent }) }
    const outcome = await named(desired, () => mergeObject(object, before))
    counts[outcome] += 1
    if (outcome !== 'gone') placed.set(desired, object)
  }
  return { created: counts.created, updated: counts.updated, unchanged: counts.unchanged }

  async function mergeObject(object: PlacedObject, before: StoredObject | undefined): Promise<Outcome> {
    const { desired } = object
    const writer = writers[desired.kind]
    const changed = desired.fields.filter((field) => !isUnchanged(field, before))
    const found = await writer.find(object)
    if (found === 'elsewhere')
      throw new ObjectConflict('is the id of something with another owner', { member: 'id' })
    const outcome = decide(found, before !== undefined, changed.length > 0)
    if (outcome === 'created') await writer.create(object, values(desired.fields))
    if (outcome === 'updated') await writer.update(object, values(changed))
    if (outcome === 'created' || outcome === 'updated') {
      await record(changeEvent(object, outcome, outcome === 'created' ? desired.fields : changed))
    }
    if (outcome !== 'gone') await stored.save(desired, object.id, before, fingerprints)
    return outcome
  }

  function isUnchanged(field: DesiredField, before: StoredObject | undefined): boolean {
    const fingerprint = before?.fields.get(field.name)
    return fingerprint !== undefined && fingerprints.matches(field, fingerprint)
  }
}

/** Names the fields and never says what is in them. */
function changeEvent(
  object: PlacedObject,
  outcome: 'created' | 'updated',
  fields: readonly DesiredField[],
): AuditEvent {
  let top = object
  while (top.parent !== undefined) top = top.parent
  return {
    actor: { kind: 'bootstrap' },
    action: `${object.desired.kind}.${outcome}`,
    target: { kind: object.desired.kind, id: object.id },
    organizationId: top.desired.kind === 'organization' ? top.id : undefined,
    result: 'success',
    details: { fields: fields.map(({ name }) => name).filter((name) => name !== '') },
  }
}

function decide(found: 'present' | 'absent', appliedBefore: boolean, changed: boolean): Outcome {
  if (found === 'absent') return appliedBefore && !changed ? 'gone' : 'created'
  return changed ? 'updated' : 'unchanged'
}

function values(fields: readonly DesiredField[]): FieldValues {
  return new Map(fields.map(({ name, value }) => [name, value]))
}

async function named<T>({ path }: DesiredObject, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    throw new ConfigurationError([`${error.member ? `${path}.${error.member}` : path}: ${error.message}`])
  }
}
