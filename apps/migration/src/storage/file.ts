import { randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, link, mkdir, open, realpath, unlink } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import type { FileLocation } from './object-location.ts'
import { type ObjectPlace, ObjectStorageError, type StorageFailure } from './storage-error.ts'
import type { ObjectHead, ObjectProvider, ObjectStorageOptions, WriteOptions } from './stored-object.ts'

/** Suffix of a file that is being written. */
const PARTIAL = '.partial'

/** Opens a file in the folder of this installation. Refuses a path or link that leads out of the folder. */
export function openFileObject(
  { path }: FileLocation,
  place: ObjectPlace,
  { folder }: ObjectStorageOptions,
): ObjectProvider {
  if (folder === undefined) {
    const rule = 'this server has no folder for files; use object storage'
    throw new ObjectStorageError({ reason: 'path_invalid', place, rule })
  }

  /** The folder of the file with all links resolved. Calls `enter` with each folder before. */
  async function parent(enter: (folder: string) => Promise<unknown>): Promise<string> {
    const root = await realpath(folder ?? '')
    let real = root
    for (const part of path.split('/').slice(0, -1)) {
      await enter(join(real, part))
      real = await realpath(join(real, part))
      if (real !== root && !real.startsWith(root + sep)) {
        throw new ObjectStorageError({
          reason: 'path_invalid',
          place,
          rule: 'a link leads out of the folder',
        })
      }
    }
    return real
  }

  async function openedFile(): Promise<FileHandle> {
    // Does not follow a link as the last part, and does not block on a pipe.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    const file = await open(join(await parent(keepFolder), basename(path)), flags)
    if ((await file.stat()).isFile()) return file
    await file.close()
    throw new ObjectStorageError({ reason: 'path_invalid', place, rule: 'is not a file' })
  }

  return {
    async head() {
      await using file = await openedFile()
      return { sizeBytes: (await file.stat()).size }
    },
    async openRange({ offset }) {
      const file = await openedFile()
      const { size, mtimeMs } = await file.stat()
      const body = createReadStream('', { fd: file, start: offset })
      return { sizeBytes: size, version: `${size}-${mtimeMs}`, body }
    },
    async write(bytes, options) {
      options.signal?.throwIfAborted()
      return writeWhole(await parent(makeFolder), basename(path), bytes, options)
    },
    async abandonWrite(handle) {
      if (basename(handle) !== handle || !handle.endsWith(PARTIAL)) return
      await unlink(join(await parent(keepFolder), handle)).catch(ignoreMissing)
    },
    failure: (error) => fileFailure(error, place),
    close: () => undefined,
  }
}

/**
 * Writes under a temporary name first, so that readers never see an incomplete file. Uses link, because rename would replace an
 * existing file.
 */
async function writeWhole(
  parent: string,
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  { onStarted, signal }: WriteOptions,
): Promise<ObjectHead> {
  const partial = `.${randomUUID()}${PARTIAL}`
  const partialPath = join(parent, partial)
  await onStarted?.(partial)
  try {
    await using file = await open(partialPath, 'wx', 0o600)
    let sizeBytes = 0
    for await (const chunk of bytes) {
      signal?.throwIfAborted()
      await file.appendFile(chunk)
      sizeBytes += chunk.length
    }
    signal?.throwIfAborted()
    await file.sync()
    await link(partialPath, join(parent, name))
    return { sizeBytes }
  } finally {
    await unlink(partialPath).catch(ignoreMissing)
  }
}

async function keepFolder(): Promise<void> {}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

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

/** Converts an error of the file system. */
export function fileFailure(error: unknown, place: ObjectPlace): ObjectStorageError {
  if (error instanceof ObjectStorageError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  const [reason, rule] = (code === undefined ? undefined : FAILURES[code]) ?? [
    'unexpected_answer' as const,
    'the file system does not let it be used',
  ]
  return new ObjectStorageError({ reason, place, rule, answer: code })
}
