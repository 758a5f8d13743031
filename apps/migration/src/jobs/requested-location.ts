import { z } from 'zod'
import type { StagedSealer } from '../sealing.ts'
import { fileLocation, gcsLocation, type ObjectLocation, s3Location } from '../storage/object-location.ts'
import type { OwnStorage } from '../storage/own-storage.ts'
import { isSealed } from '../storage/packed-document.ts'
import type { Job } from './job.ts'

/** Members of the calls that name a storage location, in lowerCamelCase, and the schemas of their values. */
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

/** The storage location of an export or import, as it was written in the call. It holds credentials. */
export interface RequestedLocation {
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
 * The path of a location in the operator's own storage, undefined for any other. One further member, whichever it is,
 * makes it the caller's storage: the operator's credentials are never used with what a caller names.
 */
export function ownPath({ member, value }: RequestedLocation): unknown {
  if (!OWN_MEMBERS.has(member) || typeof value !== 'object' || value === null) return undefined
  const { path, ...others } = value as { readonly path?: unknown }
  return Object.keys(others).length === 0 ? path : undefined
}

/** A storage location, and whose address rules and credentials apply. */
export interface ResolvedLocation {
  readonly location: ObjectLocation
  /** The operator named it, not the caller. */
  readonly isOwn: boolean
}

export type ResolveLocation = (requested: RequestedLocation) => ResolvedLocation

/** Resolves what a call wrote. Throws ZodError, whose paths begin with the member, for a location that cannot be used. */
export function createResolveLocation(own: OwnStorage | undefined): ResolveLocation {
  return (requested) => {
    const { member, value } = requested
    const path = own && ownPath(requested)
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

type LocatedJob = Pick<Job, 'id' | 'request'>

/** A worker of an earlier version, which would write a sealed export unsealed, cannot open its location. */
const place = ({ id, request }: LocatedJob) => placeOf(id)[isSealed(request) ? 'sealed' : 'unsealed']
const placeOf = (jobId: string) => ({
  sealed: `storage of sealed export ${jobId}`,
  unsealed: `storage order ${jobId}`,
})

/** The places that the storage location of a job may be sealed for. */
export const locationPlaces = (jobId: string): readonly string[] => Object.values(placeOf(jobId))

/** Encrypts a storage location for the database: only workers with the master key read its credentials. */
export function sealLocation(sealer: StagedSealer, job: LocatedJob, location: RequestedLocation): Buffer {
  return sealer.seal(Buffer.from(JSON.stringify(location)), place(job))
}

export function openLocation(sealer: StagedSealer, job: LocatedJob, sealed: Buffer): RequestedLocation {
  return JSON.parse(sealer.open(sealed, place(job)).toString('utf8')) as RequestedLocation
}
