import { BlockList } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { PutObjectCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { type FaultProxy, startFaultProxy } from '@signet/testing/fault-proxy'
import { type S3Server, startS3Server } from '@signet/testing/s3-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type S3Location, s3Location } from '../../src/storage/object-location.ts'
import {
  breaking,
  contentOf,
  gzip,
  IMPATIENT,
  inChunks,
  LIMIT_BYTES,
  noise,
  OPTIONS,
  using,
} from './storage-fixture.ts'

const MIB = 1_048_576
const SECRET = 'canary-secret-access-key'

let server: S3Server
let proxy: FaultProxy
let admin: S3Client
beforeAll(async () => {
  server = await startS3Server()
  proxy = await startFaultProxy(server.url)
  const credentials = { accessKeyId: 'admin', secretAccessKey: 'admin' }
  admin = new S3Client({ endpoint: server.url, region: 'us-east-1', forcePathStyle: true, credentials })
})
afterAll(async () => {
  admin?.destroy()
  await proxy?.stop()
  await server?.stop()
})
beforeEach(() => proxy.failWith(() => undefined))

const at = (path: string, more: object = {}): S3Location =>
  s3Location.parse({
    path,
    bucket: server.bucket,
    endpoint: proxy.url,
    accessKeyId: 'AKIACANARY',
    secretAccessKey: SECRET,
    sessionToken: 'canary-session-token',
    ...more,
  })
const put = (Key: string, Body: Buffer) =>
  admin.send(new PutObjectCommand({ Bucket: server.bucket, Key, Body }))

/** The uploads of an object that neither ended nor were aborted: those that still take a part. */
async function openUploads(Key: string): Promise<readonly string[]> {
  const seen = proxy.requests.filter(({ url }) => url.pathname.endsWith(`/${Key}`))
  const ids = new Set(seen.flatMap(({ url }) => url.searchParams.get('uploadId') ?? []))
  expect(ids.size).toBeGreaterThan(0)
  const open: string[] = []
  for (const UploadId of ids) {
    const part = { Bucket: server.bucket, Key, UploadId, PartNumber: 99, Body: Buffer.from('x') }
    await admin.send(new UploadPartCommand(part)).then(
      () => open.push(UploadId),
      (error: Error) => expect(error.name).toBe('NoSuchUpload'),
    )
  }
  return open
}

const answered = (status: number, code: string) => ({
  answer: {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`,
  },
})

describe('S3: server-side encryption', () => {
  it.each([
    [{ serverSideEncryption: 'SSE-S3' }, 'AES256', undefined],
    [{ serverSideEncryption: 'SSE-KMS' }, 'aws:kms', undefined],
    [{ serverSideEncryption: 'SSE-KMS', kmsKeyId: 'alias/exports' }, 'aws:kms', 'alias/exports'],
    [{}, undefined, undefined],
  ])('asks for %o when it creates an object, in one request or in parts', async (more, kind, key) => {
    for (const [length, method] of [
      [3, 'PUT'],
      [9 * MIB, 'POST'],
    ] as const) {
      const name = `encrypted-${kind?.replace(':', '-')}-${key === undefined}-${length}`
      await using(at(name, more), (object) => object.write(inChunks(noise(length))))
      const created = proxy.requests.find(
        (request) =>
          request.method === method &&
          request.url.pathname.endsWith(`/${name}`) &&
          !request.url.searchParams.has('uploadId'),
      )
      expect(created?.headers['x-amz-server-side-encryption']).toBe(kind)
      expect(created?.headers['x-amz-server-side-encryption-aws-kms-key-id']).toBe(key)
    }
  })
})

describe('S3: writing', () => {
  it.each([0, 1, 8 * MIB, 8 * MIB + 1, 17 * MIB])('reads back %i bytes', async (length) => {
    const bytes = noise(length)
    await using(at(`written-${length}`), async (object) => {
      expect(await object.write(inChunks(bytes))).toEqual({ sizeBytes: length })
      expect(await object.head()).toEqual({ sizeBytes: length })
      expect((await contentOf(object)).equals(bytes)).toBe(true)
    })
  })

  it('only creates: every request that makes the object visible says so, signed with the session token', async () => {
    for (const [path, length] of [
      ['create-small', 3],
      ['create-large', 9 * MIB],
    ] as const) {
      const from = proxy.requests.length
      await using(at(path), (object) => object.write(inChunks(noise(length))))
      const made = proxy.requests.slice(from)
      const last = made.at(-1)
      expect(last?.headers).toMatchObject({
        'if-none-match': '*',
        'x-amz-security-token': 'canary-session-token',
      })
      expect(made.every(({ method }) => method === 'PUT' || method === 'POST')).toBe(true)
    }
  })

  it('an object that exists is refused', async () => {
    proxy.failWith(({ headers }) =>
      headers['if-none-match'] ? answered(412, 'PreconditionFailed') : undefined,
    )
    for (const length of [3, 9 * MIB]) {
      await expect(
        using(at('taken'), (object) => object.write(inChunks(noise(length)))),
      ).rejects.toMatchObject({
        reason: 'object_exists',
        message: `S3 object "taken" in bucket "${server.bucket}": exists already and is not replaced; choose another path (412 PreconditionFailed)`,
      })
    }
    expect(await openUploads('taken')).toEqual([])
  })

  it('does not report an object as foreign that may be its own after a lost response', async () => {
    let tries = 0
    proxy.failWith(({ method }) => {
      if (method !== 'PUT') return undefined
      tries += 1
      return tries === 1 ? { cutAfterBytes: 0 } : answered(412, 'PreconditionFailed')
    })
    await expect(using(at('echo'), (object) => object.write(inChunks(noise(3))))).rejects.toMatchObject({
      reason: 'connection_lost',
      isTransient: true,
    })
  })

  it('leaves no object when the source fails, and rejects with its error', async () => {
    const lost = Object.assign(new Error('the export stream was lost'), { code: 'ECONNRESET' })
    await expect(using(at('half'), (object) => object.write(breaking(noise(17 * MIB), lost)))).rejects.toBe(
      lost,
    )
    expect(await openUploads('half')).toEqual([])
    await expect(using(at('half'), (object) => object.head())).rejects.toMatchObject({
      reason: 'object_missing',
    })
  })

  it('leaves no object when the write is aborted', async () => {
    const stop = new AbortController()
    async function* endless() {
      for (let sent = 0; ; sent += 1) {
        yield noise(MIB)
        if (sent === 20) stop.abort(new Error('cancelled by an administrator'))
      }
    }
    await expect(
      using(at('aborted'), (object) => object.write(endless(), { signal: stop.signal })),
    ).rejects.toThrow('cancelled by an administrator')
    expect(await openUploads('aborted')).toEqual([])
  })

  it('sends a part again whose connection is cut', async () => {
    let cuts = 2
    proxy.failWith(({ url, method }) =>
      method === 'PUT' && url.searchParams.get('partNumber') === '2' && cuts-- > 0
        ? { cutAfterBytes: 0 }
        : undefined,
    )
    const bytes = noise(17 * MIB)
    await using(at('cut-part'), async (object) => {
      await object.write(inChunks(bytes))
      expect((await contentOf(object)).equals(bytes)).toBe(true)
    })
    expect(cuts).toBeLessThan(1)
  })

  it('gives up a silent service, and leaves no object', async () => {
    proxy.failWith(({ url }) => (url.searchParams.get('partNumber') === '2' ? { stall: true } : undefined))
    await expect(
      using(at('silent'), (object) => object.write(inChunks(noise(17 * MIB))), IMPATIENT),
    ).rejects.toMatchObject({ reason: 'timed_out', isTransient: true })
    expect(await openUploads('silent')).toEqual([])
  })

  it('removes the upload of a killed process by its handle, also twice', async () => {
    let handle = ''
    proxy.failWith(({ method }) => (method === 'DELETE' ? answered(500, 'InternalError') : undefined))
    const started = async (id: string) => {
      handle = id
    }
    const died = breaking(noise(17 * MIB), new Error('killed'))
    await expect(using(at('killed'), (object) => object.write(died, { onStarted: started }))).rejects.toThrow(
      'killed',
    )
    expect(await openUploads('killed')).toEqual([handle])
    proxy.failWith(() => undefined)
    await using(at('killed'), async (object) => {
      await object.abandonWrite(handle)
      await object.abandonWrite(handle)
    })
    expect(await openUploads('killed')).toEqual([])
  })
})

describe('S3: reading', () => {
  it('continues after a cut connection, with the same version', async () => {
    const bytes = noise(3 * MIB)
    await put('cut', bytes)
    const from = proxy.requests.length
    const startOf = (range = 'bytes=0-') => Number(/\d+/.exec(range)?.[0])
    proxy.failWith(({ headers }) =>
      startOf(headers.range) < 3_000_000 ? { cutAfterBytes: 1_000_000 } : undefined,
    )
    expect((await using(at('cut'), (object) => contentOf(object))).equals(bytes)).toBe(true)
    const ranges = proxy.requests.slice(from).map(({ headers }) => headers.range)
    // On a busy machine the client sends a request again that was not answered in time.
    const expected = [undefined, 'bytes=1000000-', 'bytes=2000000-', 'bytes=3000000-']
    expect(ranges.filter((range, at) => at === 0 || range !== ranges[at - 1])).toEqual(expected)
    expect(proxy.requests.at(-1)?.headers['if-match']).toMatch(/^"[0-9a-f]{32}"$/)
  })

  it('continues after a silent connection', async () => {
    const bytes = noise(2 * MIB)
    await put('silent-read', bytes)
    let reads = 0
    proxy.failWith(() => (reads++ === 0 ? { stallAfterBytes: MIB } : undefined))
    expect((await using(at('silent-read'), (object) => contentOf(object), IMPATIENT)).equals(bytes)).toBe(
      true,
    )
  })

  it('gives up when it does not go on', async () => {
    await put('never', noise(2 * MIB))
    let reads = 0
    proxy.failWith(() => (reads++ === 0 ? { cutAfterBytes: MIB } : { cutAfterBytes: 0 }))
    await expect(using(at('never'), (object) => contentOf(object))).rejects.toMatchObject({
      reason: 'connection_lost',
      isTransient: true,
    })
  })

  it('does not mix two versions of an object', async () => {
    await put('changing', noise(2 * MIB))
    proxy.failWith(() => ({ cutAfterBytes: MIB }))
    await using(at('changing'), async (object) => {
      const { bytes } = await object.read({ limitBytes: LIMIT_BYTES })
      proxy.failWith(() => undefined)
      await put('changing', noise(2 * MIB))
      await expect(buffer(bytes)).rejects.toMatchObject({ reason: 'object_changed' })
    })
  })

  it('decompresses gzip, within the limit', async () => {
    const bytes = Buffer.from('{"orgs":[]}'.repeat(100_000))
    await put('document.json.gz', gzip(bytes))
    expect((await using(at('document.json.gz'), (object) => contentOf(object))).equals(bytes)).toBe(true)
    await expect(
      using(at('document.json.gz'), (object) => contentOf(object, 1_000_000)),
    ).rejects.toMatchObject({ reason: 'object_too_large' })
  })

  it('stops the transfer when the reader stops', async () => {
    await put('left', noise(10 * MIB))
    await using(at('left'), async (object) => {
      const { bytes, sizeBytes } = await object.read({ limitBytes: LIMIT_BYTES })
      expect(sizeBytes).toBe(10 * MIB)
      for await (const _ of bytes) break
    })
  })
})

describe('S3: failures', () => {
  it.each([
    [403, 'AccessDenied', 'access_denied', 's3:GetObject'],
    [403, 'InvalidAccessKeyId', 'credentials_refused', 'access_key_id'],
    [403, 'SignatureDoesNotMatch', 'credentials_refused', 'secret_access_key'],
    [400, 'ExpiredToken', 'credentials_refused', 'session_token'],
    [404, 'NoSuchBucket', 'bucket_missing', 'check bucket'],
    [404, 'NoSuchKey', 'object_missing', 'check bucket and path'],
    [301, 'PermanentRedirect', 'wrong_region', 'give its region'],
    [503, 'SlowDown', 'service_unavailable', 'try again later'],
    [418, 'Teapot', 'unexpected_answer', 'endpoint'],
  ])('%i %s is reported as %s with the remedy', async (status, code, reason, advice) => {
    proxy.failWith(() => answered(status, code))
    const failure = await using(at('any'), (object) => contentOf(object)).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      name: 'ObjectStorageError',
      reason,
      message: expect.stringContaining(advice),
    })
    expect(failure).toMatchObject({ message: expect.stringContaining(`"any" in bucket "${server.bucket}"`) })
    expect(JSON.stringify([failure, String(failure), Object.entries(failure as Error)])).not.toMatch(
      /canary|AKIA/i,
    )
    expect((failure as Error).cause).toBeUndefined()
  })

  it('names the missing permission to a writer', async () => {
    proxy.failWith(() => answered(403, 'AccessDenied'))
    await expect(using(at('any'), (object) => object.write(inChunks(noise(3))))).rejects.toThrow(
      's3:PutObject',
    )
  })

  it('an address that may not be called is not connected to [F-41]', async () => {
    const from = proxy.requests.length
    const strict = { ...OPTIONS, allow: new BlockList() }
    for (const endpoint of [
      proxy.url,
      proxy.url.replace('127.0.0.1', 'localhost'),
      'http://169.254.169.254',
      'http://[::ffff:127.0.0.1]:9',
    ]) {
      await expect(
        using(at('any', { endpoint }), (object) => contentOf(object), strict),
      ).rejects.toMatchObject({
        reason: 'address_refused',
        message: expect.stringContaining('SIGNET_OUTBOUND_ALLOW'),
      })
    }
    expect(proxy.requests).toHaveLength(from)
  })

  it('a redirect is not followed [F-41]', async () => {
    const from = proxy.requests.length
    proxy.failWith(() => ({ answer: { status: 307, headers: { location: 'http://127.0.0.1:9/' } } }))
    await expect(using(at('any'), (object) => contentOf(object))).rejects.toMatchObject({
      name: 'ObjectStorageError',
    })
    expect(proxy.requests.length - from).toBeLessThanOrEqual(3)
  })

  it('reports a host that does not respond as unreachable', async () => {
    await expect(
      using(at('any', { endpoint: 'http://127.0.0.1:9' }), (object) => contentOf(object)),
    ).rejects.toMatchObject({ reason: 'unreachable' })
  })
})
