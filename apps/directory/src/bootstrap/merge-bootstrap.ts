import type { ValueChanges } from '@signet/admin-api/audit/audit-table'
import { type FileProblem, problemText } from '@signet/file-formats/bootstrap/bootstrap-file'
import { type CallEvent, changedValues } from '../api/management-call.ts'
import { accountWriters } from './account-writers.ts'
import type { AppliedObject, BootstrapStore } from './bootstrap.repository.ts'
import type { BootstrapFile } from './bootstrap-file.ts'
import { type Reference, referenceProblem } from './check-file.ts'
import {
  type DeclaredField,
  type DeclaredResource,
  declaredResources,
  type ObjectKind,
} from './declared-resources.ts'
import { canonicalJson, createFingerprints } from './fingerprints.ts'
import {
  type BootstrapStores,
  type Fields,
  ObjectConflict,
  type ObjectWriter,
  type ObjectWriting,
  ownerId,
  type ResolvedResource,
} from './object-writer.ts'
import { instanceWriters, organizationWriters } from './organization-writers.ts'
import { applicationWriters, projectWriters } from './project-writers.ts'
import { providerWriters } from './provider-writers.ts'
import type { ReadBootstrap } from './read-bootstrap.ts'

/** A field that is written. A secret has no values here. */
interface FieldChange {
  readonly name: string
  readonly secret: boolean
  readonly before?: unknown
  readonly after?: unknown
}

/** The effect of the merge on one object of the file. */
export interface ObjectChange {
  /** `left_deleted`: it was deleted since the file was applied, and the file says nothing else about it. */
  readonly change: 'created' | 'updated' | 'left_deleted'
  readonly kind: ObjectKind
  /** Path of the object in the file. */
  readonly path: string
  readonly id: string
  /** Id of the organization that contains the object. */
  readonly organizationId: string | undefined
  readonly fields: readonly FieldChange[]
  /** Old and new values in force, of policies and settings. */
  readonly inForce?: ValueChanges | undefined
}

export interface MergedFile {
  readonly changes: readonly ObjectChange[]
  readonly unchanged: number
  /** Every object of the file that is there now. */
  readonly resolved: readonly { readonly kind: ObjectKind; readonly id: string }[]
}

/** A file that cannot be applied; `problems` has all that is known to be wrong with it. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused'
  readonly problems: readonly FileProblem[]

  constructor(problems: readonly FileProblem[], cause?: unknown) {
    super(problems.map(problemText).join('\n'), { cause })
    this.problems = problems
  }
}

/** The event of a change, without who made it: it names the fields, and has the values of policies and settings only. */
export function changeEvent({ change, kind, id, organizationId, fields, inForce }: ObjectChange): CallEvent {
  return {
    action: `${kind}.${change}`,
    target: { kind, id },
    organizationId,
    details: {
      fields: fields.map(({ name }) => name).filter((name) => name !== ''),
      ...(inForce && { changes: inForce }),
    },
  }
}

/**
 * Merges a file three ways, one file at a time: the values that it had last, its values now, the stored values. A field
 * is written when its value in the file changed; an object that was deleted since stays so until the file changes it.
 * Throws FileRefused with every problem of the file, or with the object that cannot be written.
 */
export async function mergeBootstrap(
  read: ReadBootstrap,
  stores: BootstrapStores,
  writing: ObjectWriting,
): Promise<MergedFile> {
  await stores.bootstrap.lock()
  const file = await requireValid(read, stores)
  await stores.bootstrap.ownersAtTheEnd()
  const objects = declaredResources(file)
  const algorithms = file.settings?.signingAlgorithms ?? signingAlgorithmsOf(objects)
  await stores.instance.nameFirstSigningAlgorithms(algorithms)
  const merged = await mergeObjects(objects, stores, writing)
  await stores.bootstrap.requireOwner()
  return merged
}

/** The algorithms that applications and service users of the file choose. */
function signingAlgorithmsOf(objects: readonly DeclaredResource[]): readonly string[] {
  const chosen = objects
    .flatMap(({ fields }) => fields)
    .flatMap(({ name, value }) => (SIGNING_FIELDS.includes(name) && value ? [String(value)] : []))
  return [...new Set(chosen)]
}

const SIGNING_FIELDS = ['accessTokenSigningAlg', 'idTokenSigningAlg']

async function requireValid(
  { file, problems, openReferences }: ReadBootstrap,
  stores: BootstrapStores,
): Promise<BootstrapFile> {
  const unmet = []
  for (const reference of openReferences) {
    if (!(await exists(reference, stores))) unmet.push(referenceProblem(reference))
  }
  if (file === undefined || unmet.length > 0) throw new FileRefused([...problems, ...unmet])
  return file
}

async function exists(
  reference: Reference,
  { organizations, accounts, projectRoles }: BootstrapStores,
): Promise<boolean> {
  const { kind, id } = reference
  if (kind === 'organization') return (await organizations.find(id)) !== undefined
  if (kind === 'user') return (await accounts.find(id)) !== undefined
  const { projectId } = reference
  return projectId !== undefined && (await projectRoles.find(projectId, id)) !== undefined
}

interface Merge {
  readonly stores: BootstrapStores
  readonly writers: Readonly<Record<ObjectKind, ObjectWriter>>
  readonly fingerprints: ReturnType<typeof createFingerprints>
}

async function mergeObjects(
  objects: readonly DeclaredResource[],
  stores: BootstrapStores,
  writing: ObjectWriting,
): Promise<MergedFile> {
  const writers: Readonly<Record<ObjectKind, ObjectWriter>> = {
    ...organizationWriters(stores),
    ...instanceWriters(stores),
    ...accountWriters(stores, writing),
    ...projectWriters(stores, writing),
    ...applicationWriters(stores, writing),
    ...providerWriters(stores, writing),
  }
  const merge: Merge = { stores, writers, fingerprints: createFingerprints(writing.masterKeys) }
  const applied = await stores.bootstrap.applied()
  const resolved = new Map<DeclaredResource, ResolvedResource>()
  const changes: ObjectChange[] = []
  let unchanged = 0
  for (const declared of objects) {
    const parent = declared.parent && resolved.get(declared.parent)
    // Its owner was deleted and stays so.
    if (declared.parent !== undefined && parent === undefined) continue
    const before = applied.get(declared.kind)?.get(declared.key)
    const id = before?.objectId ?? declared.id ?? writing.newId()
    const object = { declared, id, ...(parent && { parent }) }
    const outcome = await namingPath(declared, stores.bootstrap, () => mergeObject(merge, object, before))
    if (outcome === undefined) unchanged += 1
    else changes.push({ ...outcome, ...locationOf(object) })
    if (outcome?.change !== 'left_deleted') resolved.set(declared, object)
  }
  return {
    changes,
    unchanged,
    resolved: [...resolved.values()].map(({ declared, id }) => ({ kind: declared.kind, id })),
  }
}

/** Undefined when nothing was to be written. */
async function mergeObject(merge: Merge, object: ResolvedResource, before: AppliedObject | undefined) {
  const { declared, id } = object
  const changed = declared.fields.filter((field) => !isUnchanged(merge, field, before))
  if (changed.length > 0) await lockObject(merge, object)
  const outcome = await write(merge, object, changed, before !== undefined)
  if (outcome?.change === 'left_deleted') return outcome
  const fields = new Map(declared.fields.map((field) => [field.name, merge.fingerprints.of(field)]))
  await merge.stores.bootstrap.saveApplied(declared, { objectId: id, fields }, before)
  return outcome
}

async function write(
  { writers }: Merge,
  object: ResolvedResource,
  changed: readonly DeclaredField[],
  wasApplied: boolean,
) {
  const { fields, kind } = object.declared
  const writer = writers[kind]
  const stored = await writer.find(
    object,
    changed.map(({ name }) => name),
  )
  if (stored === 'elsewhere')
    throw new ObjectConflict('is the id of something with another owner', { member: 'id' })
  if (stored === undefined) {
    if (wasApplied && changed.length === 0) return { change: 'left_deleted', fields: [] } as const
    const inForce = await changesInForce(writer, object, () => writer.create(object, valuesOf(fields)))
    return { change: 'created', fields: fields.map((field) => fieldChange(field)), inForce } as const
  }
  const before: Fields = { ...stored }
  const different = changed.filter((field) => field.secret || differs(field, before))
  if (different.length === 0) return undefined
  const writing = () => writer.update(object, valuesOf(different), before)
  const inForce = await changesInForce(writer, object, writing)
  return { change: 'updated', fields: different.map((field) => fieldChange(field, before)), inForce } as const
}

/** Runs `writing`, and returns what it changed in effect where the writer knows. */
async function changesInForce(
  writer: ObjectWriter,
  object: ResolvedResource,
  writing: () => Promise<void>,
): Promise<ValueChanges | undefined> {
  const before = await writer.inForce?.(object)
  await writing()
  return before && changedValues(before, (await writer.inForce?.(object)) ?? {})
}

function isUnchanged(
  { fingerprints }: Merge,
  field: DeclaredField,
  before: AppliedObject | undefined,
): boolean {
  const fingerprint = before?.fields.get(field.name)
  return fingerprint !== undefined && fingerprints.matches(field, fingerprint)
}

/** Waits until the management API, which locks the object to compare an ETag and then write, changes it no longer. */
async function lockObject({ stores }: Merge, object: ResolvedResource): Promise<void> {
  const { kind } = object.declared
  if (kind === 'policy') await stores.lock(`${object.id}_policy`, ownerId(object))
  const lock = LOCKS[kind]
  if (lock !== undefined) await stores.lock(lock, object.id)
}

/** The names under which the management API locks. */
const LOCKS: { readonly [K in ObjectKind]?: string } = {
  organization: 'organization',
  user: 'user',
  service_user: 'user',
  project: 'project',
  application: 'application',
}

function differs({ name, value }: DeclaredField, stored: Fields): boolean {
  return canonicalJson(value) !== canonicalJson(stored[name] ?? null)
}

function fieldChange({ name, value, secret }: DeclaredField, stored?: Fields): FieldChange {
  if (secret) return { name, secret }
  return { name, secret, ...(stored && { before: stored[name] ?? null }), after: value }
}

function locationOf(object: ResolvedResource): Pick<ObjectChange, 'kind' | 'path' | 'id' | 'organizationId'> {
  const { kind, path } = object.declared
  let top = object
  while (top.parent !== undefined) top = top.parent
  const organizationId = top.declared.kind === 'organization' ? top.id : undefined
  return { kind, path, id: object.id, organizationId }
}

function valuesOf(fields: readonly DeclaredField[]): Fields {
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]))
}

async function namingPath<T>(
  { path, kind }: DeclaredResource,
  bootstrap: Pick<BootstrapStore, 'conflictOf'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // A policy breaks constraints of other objects only, which its path does not name.
    const isPolicy = kind === 'policy'
    const conflict =
      error instanceof ObjectConflict ? error : isPolicy ? undefined : bootstrap.conflictOf(error)
    if (conflict === undefined) throw error
    const { member, message: rule } = conflict
    throw new FileRefused([{ path: member ? `${path}.${member}` : path, rule }], error)
  }
}
