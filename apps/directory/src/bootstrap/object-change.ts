import type { CallEvent } from '../management/management-call.ts'
import type { ObjectKind } from './desired-object.ts'

/** A field that is written. A secret has no values here. */
export interface FieldChange {
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
  /** Where it stands in the file. */
  readonly path: string
  readonly id: string
  /** Of the organization that it lies in. */
  readonly organizationId: string | undefined
  readonly fields: readonly FieldChange[]
}

/** The event of a change, without who made it: it names the fields and never says what is in them. */
export function changeEvent({ change, kind, id, organizationId, fields }: ObjectChange): CallEvent {
  return {
    action: `${kind}.${change}`,
    target: { kind, id },
    organizationId,
    details: { fields: fields.map(({ name }) => name).filter((name) => name !== '') },
  }
}
