import type { StoredObject } from '../stores/bootstrap-fingerprint-store.ts'
import type { BootstrapStores } from './bootstrap-stores.ts'
import { canonicalJson } from './canonical-json.ts'
import type { DesiredField, DesiredObject } from './desired-object.ts'
import { FileRefused } from './file-refused.ts'
import type { Fingerprints } from './fingerprint.ts'
import type { FieldChange, ObjectChange } from './object-change.ts'
import { type FieldValues, ObjectConflict, type PlacedObject } from './object-writer.ts'

interface Dependencies {
  readonly stores: Pick<BootstrapStores, 'writers' | 'fingerprints' | 'lockObject'>
  readonly fingerprints: Fingerprints
  readonly newId: () => string
}

export interface MergedFile {
  readonly changes: readonly ObjectChange[]
  readonly unchanged: number
  /** Every object of the file that is there now. */
  readonly placed: readonly PlacedObject[]
}

type Outcome = Pick<ObjectChange, 'change' | 'fields'>

/**
 * The three-way merge of the file as applied last, the file now, and the database. A field is written when
 * its value in the file changed; a deleted object stays deleted until the file changes it. Throws FileRefused
 * when an object cannot be written.
 */
export async function mergeBootstrap(
  objects: readonly DesiredObject[],
  { stores, fingerprints, newId }: Dependencies,
): Promise<MergedFile> {
  const known = await stores.fingerprints.load()
  const placed = new Map<DesiredObject, PlacedObject>()
  const changes: ObjectChange[] = []
  let unchanged = 0
  for (const desired of objects) {
    const parent = desired.parent && placed.get(desired.parent)
    // Its owner was deleted and stays so.
    if (desired.parent !== undefined && parent === undefined) continue
    const before = known.get(desired.kind)?.get(desired.key)
    const object = { desired, id: before?.objectId ?? desired.id ?? newId(), ...(parent && { parent }) }
    const outcome = await named(desired, () => mergeObject(object, before))
    if (outcome === undefined) unchanged += 1
    else changes.push({ ...outcome, ...placeOf(object) })
    if (outcome?.change !== 'left_deleted') placed.set(desired, object)
  }
  return { changes, unchanged, placed: [...placed.values()] }

  async function mergeObject(object: PlacedObject, before: StoredObject | undefined) {
    const { desired, id } = object
    const changed = desired.fields.filter((field) => !isUnchanged(field, before))
    if (changed.length > 0) await stores.lockObject(desired.kind, id)
    const outcome = await write(object, before, changed)
    if (outcome?.change !== 'left_deleted') await stores.fingerprints.save(desired, id, before, fingerprints)
    return outcome
  }

  /** Undefined when nothing was to be written. */
  async function write(
    object: PlacedObject,
    before: StoredObject | undefined,
    changed: readonly DesiredField[],
  ): Promise<Outcome | undefined> {
    const { fields, kind } = object.desired
    const writer = stores.writers[kind]
    const found = await writer.find(object)
    if (found === 'elsewhere')
      throw new ObjectConflict('is the id of something with another owner', { member: 'id' })
    if (found === 'absent') {
      if (before !== undefined && changed.length === 0) return { change: 'left_deleted', fields: [] }
      await writer.create(object, values(fields))
      return { change: 'created', fields: fields.map((field) => fieldChange(field, undefined)) }
    }
    const stored = await writer.stored(object, values(changed.filter(({ secret }) => !secret)))
    const different = changed.filter((field) => field.secret || differs(field, stored))
    if (different.length === 0) return undefined
    await writer.update(object, values(different))
    return { change: 'updated', fields: different.map((field) => fieldChange(field, stored)) }
  }

  function isUnchanged(field: DesiredField, before: StoredObject | undefined): boolean {
    const fingerprint = before?.fields.get(field.name)
    return fingerprint !== undefined && fingerprints.matches(field, fingerprint)
  }
}

function differs({ name, value }: DesiredField, stored: FieldValues): boolean {
  return canonicalJson(value) !== canonicalJson(stored.get(name) ?? null)
}

function fieldChange({ name, value, secret }: DesiredField, stored: FieldValues | undefined): FieldChange {
  if (secret) return { name, secret }
  return { name, secret, ...(stored && { before: stored.get(name) ?? null }), after: value }
}

function placeOf(object: PlacedObject): Pick<ObjectChange, 'kind' | 'path' | 'id' | 'organizationId'> {
  const { kind, path } = object.desired
  let top = object
  while (top.parent !== undefined) top = top.parent
  const organizationId = top.desired.kind === 'organization' ? top.id : undefined
  return { kind, path, id: object.id, organizationId }
}

function values(fields: readonly DesiredField[]): FieldValues {
  return new Map(fields.map(({ name, value }) => [name, value]))
}

async function named<T>({ path }: DesiredObject, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    const { member, message: rule } = error
    throw new FileRefused([{ path: member ? `${path}.${member}` : path, rule }], error)
  }
}
