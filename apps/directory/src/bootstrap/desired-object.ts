/** Every kind of thing that the file can describe, in the order in which they can be written. */
export const OBJECT_KINDS = [
  'organization',
  // Before the policies and passwords that have to keep to it.
  'setting',
  'domain',
  'policy',
  'user',
  'metadata',
  'service_user',
  'personal_access_token',
  'machine_key',
  'project',
  'project_role',
  'user_grant',
  'application',
  'application_key',
  'feature',
] as const

export type ObjectKind = (typeof OBJECT_KINDS)[number]

export interface DesiredField {
  readonly name: string
  /** JSON, or undefined when the file says nothing about it. */
  readonly value: unknown
  /** Its fingerprint is keyed, so that the stored fingerprint does not allow guessing the secret. */
  readonly secret: boolean
}

/** One object of the file: its fields, and the key that finds it again at the next start. */
export interface DesiredObject {
  readonly kind: ObjectKind
  /** How the file names it; stays the same while ids are generated. */
  readonly key: string
  /** Where it stands in the file. */
  readonly path: string
  readonly parent?: DesiredObject
  /** The id that the file gives, for kinds that have one of their own. */
  readonly id?: string
  readonly fields: readonly DesiredField[]
  /** Read when it is written; changing it alone changes nothing. */
  readonly outputFile?: string
}

type Details = Pick<DesiredObject, 'path'> & {
  readonly parent?: DesiredObject
  readonly id?: string | undefined
  readonly naturalName: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly secrets?: Readonly<Record<string, unknown>>
  readonly outputFile?: string | undefined
}

/** Leaves out what the file does not mention. */
export function desiredObject(kind: ObjectKind, details: Details): DesiredObject {
  const { path, parent, id, naturalName, fields, secrets = {}, outputFile } = details
  const own = id ?? `name:${naturalName}`
  return {
    kind,
    key: parent === undefined ? own : `${parent.key}/${own}`,
    path,
    ...(parent && { parent }),
    ...(id !== undefined && { id }),
    fields: [...fieldList(fields, false), ...fieldList(secrets, true)],
    ...(outputFile !== undefined && { outputFile }),
  }
}

function fieldList(values: Readonly<Record<string, unknown>>, secret: boolean): DesiredField[] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value, secret }))
}
