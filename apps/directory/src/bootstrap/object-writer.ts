import type { DesiredObject } from './desired-object.ts'

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
  /** The stored values of these fields, in the format of the file. */
  stored(object: PlacedObject, values: FieldValues): Promise<FieldValues>
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
