import {
  fileLocation,
  gcsLocation,
  type ObjectLocation,
  s3Location,
} from '@signet/object-storage/object-location'
import { z } from 'zod'

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

/** The place. Throws ZodError, whose paths begin with the member, for one that cannot be used. */
export function locationOf({ member, value }: StorageOrder): ObjectLocation {
  const schema: z.ZodType<ObjectLocation> = MEMBERS[member]
  return z.object({ [member]: schema }).parse({ [member]: value })[member] as ObjectLocation
}
