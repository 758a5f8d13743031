import { type ObjectPlace, ObjectStorageError, type StorageFailure } from '../storage-error.ts'

const FAILURES: Readonly<Record<string, readonly [StorageFailure, string]>> = {
  ENOENT: ['object_missing', 'does not exist; check the path'],
  ENOTDIR: ['path_invalid', 'a part of the path is not a folder'],
  ELOOP: ['path_invalid', 'is a link, which is not followed'],
  EISDIR: ['path_invalid', 'is a folder'],
  ENAMETOOLONG: ['path_invalid', 'the path is too long'],
  EACCES: ['access_denied', 'the server may not use it; check the rights of the file and its folder'],
  EPERM: ['access_denied', 'the server may not use it; check the rights of the file and its folder'],
  EROFS: ['access_denied', 'the folder is read-only'],
  EEXIST: ['object_exists', 'exists already and is not replaced; choose another path'],
  ENOSPC: ['service_unavailable', 'the disk is full'],
  EDQUOT: ['service_unavailable', 'the disk is full'],
  EIO: ['service_unavailable', 'the disk failed'],
}

/** Explains what the file system answered. */
export function fileFailure(error: unknown, place: ObjectPlace): ObjectStorageError {
  if (error instanceof ObjectStorageError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  const [reason, rule] = (code === undefined ? undefined : FAILURES[code]) ?? [
    'unexpected_answer' as const,
    'the file system does not let it be used',
  ]
  return new ObjectStorageError({ reason, place, rule, answer: code })
}
