import { z } from 'zod'
import { fileLocation, gcsLocation, type ObjectLocation, s3Location } from './object-location.ts'
import type { OwnStorage } from './own-storage.ts'

/** Members of the calls that name a place in a storage, in lowerCamelCase, and what stands there. */
const MEMBERS = {
  storageOutput: gcsLocation,
  gcsOutput: gcsLocation,
  s3Output: s3Location,
  localOutput: fileLocation,
  dataOrgsStorage: gcsLocation,
  dataOrgsv1Storage: gcsLocation,
  dataOrgsGcs: gcsLocation,
  dataOrgsv1Gcs: gcsLocation,
  dataOrgsS3: s3Location,
  dataOrgsv1S3: s3Location,
  dataOrgsLocal: fileLocation,
  dataOrgsv1Local: fileLocation,
} as const satisfies Readonly<Record<string, z.ZodType<ObjectLocation>>>

type StorageMember = keyof typeof MEMBERS

/** Where an export goes or an import comes from, as it was written in the call. It holds credentials. */
export interface StorageOrder {
  readonly member: StorageMember
  readonly value: unknown
}

export const OUTPUT_MEMBERS = ['storageOutput', 'gcsOutput', 's3Output', 'localOutput'] as const

export function isStorageMember(name: string): name is StorageMember {
  return Object.hasOwn(MEMBERS, name)
}

/** Members that may leave out everything but the path: the operator's own storage is meant then. */
const OWN_MEMBERS: ReadonlySet<StorageMember> = new Set([
  'storageOutput',
  'dataOrgsStorage',
  'dataOrgsv1Storage',
])

/**
 * The path of an order for the operator's own storage, undefined for any other. One further member, whichever it is,
 * makes it the caller's storage: the operator's credentials are never used with what a caller names.
 */
export function ownPath({ member, value }: StorageOrder): unknown {
  if (!OWN_MEMBERS.has(member) || typeof value !== 'object' || value === null) return undefined
  const { path, ...others } = value as { readonly path?: unknown }
  return Object.keys(others).length === 0 ? path : undefined
}

/** Where an order leads, and by which rules that place is reached. */
export interface OrderedPlace {
  readonly location: ObjectLocation
  /** Whose: the operator named it, not the caller. */
  readonly isOwn: boolean
}

export type PlaceOf = (order: StorageOrder) => OrderedPlace

/** Finds the place of an order. Throws ZodError, whose paths begin with the member, for one that cannot be used. */
export function placeFinder(own: OwnStorage | undefined): PlaceOf {
  return (order) => {
    const { member, value } = order
    const path = own && ownPath(order)
    if (own !== undefined && typeof path === 'string') {
      return { location: inMember(member, () => own.locationOf(path)), isOwn: true }
    }
    const schema: z.ZodType<ObjectLocation> = MEMBERS[member]
    return { location: inMember(member, () => schema.parse(value)), isOwn: false }
  }
}

function inMember<T>(member: StorageMember, find: () => T): T {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw new z.ZodError(error.issues.map((issue) => ({ ...issue, path: [member, ...issue.path] })))
  }
}
