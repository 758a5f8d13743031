// Writes an object of S3, in one request or as a multipart upload.
import { createHash } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { S3Location } from './object-location.ts'
import { fixedParts, type ObjectHead, prepended, type WriteOptions } from './stored-object.ts'

/** The members of a request that creates an object. */
export function encryptionOf({ serverSideEncryption, kmsKeyId }: S3Location) {
  return {
    ...(serverSideEncryption === 'SSE-S3' && { ServerSideEncryption: 'AES256' as const }),
    ...(serverSideEncryption === 'SSE-KMS' && { ServerSideEncryption: 'aws:kms' as const }),
    ...(kmsKeyId !== undefined && { SSEKMSKeyId: kmsKeyId }),
  }
}

/** The options of a request that stops with a signal. */
export function abortable(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal }
}

/** S3 takes 10,000 parts of at least 5 MiB: objects of up to 78 GiB, with two parts in memory. */
const PART_BYTES = 8_388_608

interface At {
  readonly Bucket: string
  readonly Key: string
}

interface Target {
  readonly at: At
  readonly encryption: ReturnType<typeof encryptionOf>
}

/** Only creates: a server that knows conditional writes answers 412 when the object is there. */
const CREATE_ONLY = { IfNoneMatch: '*' } as const

const typeOf = ({ contentType }: WriteOptions) => contentType ?? 'application/json'

/** Small objects in one request, others in parts, of which one is sent while the next is filled. */
export async function createS3Object(
  client: S3Client,
  target: Target,
  bytes: AsyncIterable<Uint8Array>,
  options: WriteOptions,
): Promise<ObjectHead> {
  const { at, encryption } = target
  const parts = fixedParts(bytes, PART_BYTES)
  try {
    const first = await parts.next()
    const second = await parts.next()
    const body = first.value ?? Buffer.alloc(0)
    if (second.done) {
      options.signal?.throwIfAborted()
      await client.send(
        new PutObjectCommand({
          ...at,
          ...encryption,
          ...CREATE_ONLY,
          ...content(body),
          ContentType: typeOf(options),
        }),
        abortable(options.signal),
      )
      return { sizeBytes: body.length }
    }
    return await uploadParts(client, target, prepended(body, prepended(second.value, parts)), options)
  } finally {
    await parts.return()
  }
}

/** Forgets an upload and its parts; does nothing when it ended. */
export async function abortUpload(
  client: S3Client,
  upload: At & { readonly UploadId: string },
): Promise<void> {
  try {
    await client.send(new AbortMultipartUploadCommand(upload))
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'NoSuchUpload') throw error
  }
}

async function uploadParts(
  client: S3Client,
  { at, encryption }: Target,
  parts: AsyncIterable<Buffer>,
  options: WriteOptions,
): Promise<ObjectHead> {
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ ...at, ...encryption, ContentType: typeOf(options) }),
    abortable(options.signal),
  )
  if (UploadId === undefined) throw new Error('the answer names no upload')
  const upload = { ...at, UploadId }
  try {
    await options.onStarted?.(UploadId)
    const done: { PartNumber: number; ETag: string | undefined }[] = []
    let sizeBytes = 0
    let sending: Promise<void> = Promise.resolve()
    for await (const part of parts) {
      await sending
      const PartNumber = done.length + 1
      sizeBytes += part.length
      sending = client
        .send(new UploadPartCommand({ ...upload, PartNumber, ...content(part) }), abortable(options.signal))
        .then(({ ETag }) => void done.push({ PartNumber, ETag }))
      // Awaited in the next round; until then the rejection must not count as unhandled.
      sending.catch(() => undefined)
    }
    await sending
    options.signal?.throwIfAborted()
    await client.send(
      new CompleteMultipartUploadCommand({ ...upload, ...CREATE_ONLY, MultipartUpload: { Parts: done } }),
      abortable(options.signal),
    )
    return { sizeBytes }
  } catch (error) {
    // The cause of the failed write matters more than the remaining parts, which cost money but are
    // invisible.
    await abortUpload(client, upload).catch(() => undefined)
    throw error
  }
}

function content(body: Buffer) {
  return {
    Body: body,
    ContentLength: body.length,
    ContentMD5: createHash('md5').update(body).digest('base64'),
  }
}
