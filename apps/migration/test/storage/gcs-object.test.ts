import { BlockList } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type FaultProxy, startFaultProxy } from '@signet/testing/fault-proxy'
import { type GcsServer, startGcsServer } from '@signet/testing/gcs-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GcsLocation, gcsLocation } from '../../src/storage/object-location.ts'
import type { StoredObject } from '../../src/storage/stored-object.ts'
import {
  breaking,
  contentOf,
  gzip,
  IMPATIENT,
  inChunks,
  LIMIT_BYTES,
  noise,
  OPTIONS,
  using as usingWith,
} from './storage-fixture.ts'

const MIB = 1_048_576

let server: GcsServer
let proxy: FaultProxy
beforeAll(async () => {
  server = await startGcsServer()
  proxy = await startFaultProxy(server.url)
})
afterAll(async () => {
  await proxy?.stop()
  await server?.stop()
})
beforeEach(() => proxy.failWith(() => undefined))

const at = (path: string, more: object = {}): GcsLocation =>
  gcsLocation.parse({ path, bucket: server.bucket, serviceaccountJson: server.serviceAccountJson, ...more })
const using: typeof usingWith = (location, work, options = OPTIONS) =>
  usingWith(location, work, { ...options, gcs: { apiUrl: proxy.url, tokenUrl: `${proxy.url}/token` } })
const isMedia = (url: URL) => url.searchParams.get('alt') === 'media'
const isUpload = (url: URL) => url.searchParams.has('upload_id')
const answered = (status: number) => ({
  answer: { status, headers: { 'content-type': 'application/json' }, body: '{}' },
})

describe('Google Cloud Storage: writing', () => {
  it.each([0, 1, 8 * MIB, 8 * MIB + 1, 17 * MIB])('reads back %i bytes', async (length) => {
    const bytes = noise(length)
    await using(at(`a folder/ü-${length}.json`), async (object) => {
      expect(await object.write(inChunks(bytes))).toEqual({ sizeBytes: length })
      expect((await object.head()).sizeBytes).toBe(length)
      expect((await contentOf(object)).equals(bytes)).toBe(true)
    })
    expect(server.uploads.size).toBe(0)
  })

  it('only creates: an object that exists is refused, by the service itself', async () => {
    const kept = Buffer.from('kept')
    server.put('taken', kept)
    await expect(using(at('taken'), (object) => object.write(inChunks(noise(3))))).rejects.toMatchObject({
      reason: 'object_exists',
      message: expect.stringContaining(`"taken" in bucket "${server.bucket}": exists already`),
    })
    expect(server.objects.get('taken')?.content).toBe(kept)
  })

  it('leaves no object when the source fails, and rejects with its error', async () => {
    const lost = Object.assign(new Error('the export stream was lost'), { code: 'ECONNRESET' })
    await expect(using(at('half'), (object) => object.write(breaking(noise(17 * MIB), lost)))).rejects.toBe(
      lost,
    )
    expect([server.uploads.size, server.objects.has('half')]).toEqual([0, false])
  })

  it('leaves no object when the write is aborted', async () => {
    const stop = new AbortController()
    async function* endless() {
      for (let sent = 0; ; sent += 1) {
        yield noise(MIB)
        if (sent === 10) stop.abort(new Error('cancelled by an administrator'))
      }
    }
    await expect(
      using(at('aborted'), (object) => object.write(endless(), { signal: stop.signal })),
    ).rejects.toThrow('cancelled by an administrator')
    expect([server.uploads.size, server.objects.has('aborted')]).toEqual([0, false])
  })

  it.each([{ drop: true }, { stall: true }] as const)('a chunk is sent again after %o', async (fault) => {
    const bytes = noise(17 * MIB)
    let cuts = 1
    proxy.failWith(({ url, headers }) =>
      isUpload(url) && headers['content-range']?.startsWith('bytes 8388608-') && cuts-- > 0
        ? fault
        : undefined,
    )
    const read = async (object: StoredObject) => {
      await object.write(inChunks(bytes))
      return contentOf(object)
    }
    expect((await using(at(`cut-${Object.keys(fault)}`), read, IMPATIENT)).equals(bytes)).toBe(true)
    expect(cuts).toBeLessThan(1)
  })

  it('says that the service lost the upload, not that the bucket is missing', async () => {
    async function* losing() {
      yield noise(9 * MIB)
      server.loseUploads()
      yield noise(9 * MIB)
    }
    await expect(using(at('lost'), (object) => object.write(losing()))).rejects.toMatchObject({
      reason: 'upload_lost',
      isTransient: true,
    })
    let begun = 0
    proxy.failWith(({ url }) => {
      if (isUpload(url)) return answered(410)
      begun += 1
      return undefined
    })
    await expect(using(at('gone'), (object) => object.write(inChunks(noise(3))))).rejects.toMatchObject({
      reason: 'upload_lost',
    })
    expect(begun).toBeLessThan(4)
    expect([server.objects.has('lost'), server.objects.has('gone')]).toEqual([false, false])
    server.loseUploads()
    proxy.failWith(() => undefined)
    const elsewhere = at('missing', { bucket: 'no-such-bucket' })
    await expect(using(elsewhere, (object) => object.write(inChunks(noise(3))))).rejects.toMatchObject({
      reason: 'bucket_missing',
    })
  })

  it('removes the upload of a killed process by its handle, also twice', async () => {
    let handle = ''
    proxy.failWith(({ method }) => (method === 'DELETE' ? answered(400) : undefined))
    const died = breaking(noise(9 * MIB), new Error('killed'))
    const started = async (uri: string) => {
      handle = uri
    }
    await expect(using(at('killed'), (object) => object.write(died, { onStarted: started }))).rejects.toThrow(
      'killed',
    )
    expect(server.uploads.size).toBe(1)
    proxy.failWith(() => undefined)
    await using(at('killed'), async (object) => {
      await object.abandonWrite(handle)
      await object.abandonWrite(handle)
    })
    expect(server.uploads.size).toBe(0)
  })
})

describe('Google Cloud Storage: reading', () => {
  it('continues after a cut connection, with the same generation', async () => {
    const bytes = noise(3 * MIB)
    server.put('cut', bytes)
    const from = proxy.requests.length
    let reads = 0
    proxy.failWith(({ url }) => (isMedia(url) && reads++ < 2 ? { cutAfterBytes: 1_000_000 } : undefined))
    expect((await using(at('cut'), (object) => contentOf(object))).equals(bytes)).toBe(true)
    const media = proxy.requests.slice(from).filter(({ url }) => isMedia(url))
    expect(media.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=1000000-', 'bytes=2000000-'])
    expect(new Set(media.map(({ url }) => url.searchParams.get('ifGenerationMatch'))).size).toBe(1)
  })

  it('continues after a silent connection', async () => {
    const bytes = noise(2 * MIB)
    server.put('silent', bytes)
    let reads = 0
    proxy.failWith(({ url }) => (isMedia(url) && reads++ === 0 ? { stallAfterBytes: MIB } : undefined))
    expect((await using(at('silent'), (object) => contentOf(object), IMPATIENT)).equals(bytes)).toBe(true)
  })

  it('does not mix two versions of an object', async () => {
    server.put('changing', noise(2 * MIB))
    proxy.failWith(({ url }) => (isMedia(url) ? { cutAfterBytes: MIB } : undefined))
    await using(at('changing'), async (object) => {
      const { bytes } = await object.read({ limitBytes: LIMIT_BYTES })
      proxy.failWith(() => undefined)
      server.put('changing', noise(2 * MIB))
      await expect(buffer(bytes)).rejects.toMatchObject({ reason: 'object_changed' })
    })
  })

  it('decompresses gzip itself, also objects marked as gzip', async () => {
    const bytes = Buffer.from('{"orgs":[]}'.repeat(100_000))
    const stored = gzip(bytes)
    server.put('document.json.gz', stored)
    expect((await using(at('document.json.gz'), (object) => contentOf(object))).equals(bytes)).toBe(true)
    const marked = { status: 200, headers: { 'content-encoding': 'gzip' }, body: stored }
    proxy.failWith(({ url }) => (isMedia(url) ? { answer: marked } : undefined))
    expect((await using(at('document.json.gz'), (object) => contentOf(object))).equals(bytes)).toBe(true)
  })
})

describe('Google Cloud Storage: failures', () => {
  it.each([
    [401, 'credentials_refused', 'its key'],
    [403, 'access_denied', 'storage.objects.get'],
    [404, 'object_missing', 'check bucket and path'],
    [418, 'unexpected_answer', 'does not give'],
  ])('%i is reported as %s with the remedy', async (status, reason, advice) => {
    proxy.failWith(({ url }) => (url.pathname === '/token' ? undefined : answered(status)))
    const failure = await using(at('any'), (object) => contentOf(object)).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      name: 'ObjectStorageError',
      reason,
      message: expect.stringContaining(advice),
    })
    expect(failure).toMatchObject({ message: expect.stringContaining(`"any" in bucket "${server.bucket}"`) })
    expect((failure as Error).cause).toBeUndefined()
    expect(JSON.stringify([failure, String(failure)])).not.toMatch(/PRIVATE KEY|Bearer|gserviceaccount/)
  })

  it('names the missing permission and the missing bucket to a writer', async () => {
    proxy.failWith(({ method }) => (method === 'POST' ? undefined : answered(500)))
    await expect(
      using(at('any', { bucket: 'nowhere' }), (object) => object.write(inChunks(noise(3)))),
    ).rejects.toMatchObject({ reason: 'bucket_missing', message: expect.stringContaining('"nowhere"') })
    proxy.failWith(({ url }) => (url.pathname === '/token' ? undefined : answered(403)))
    await expect(using(at('any'), (object) => object.write(inChunks(noise(3))))).rejects.toThrow(
      'storage.objects.create',
    )
  })

  it('names a key that the token endpoint refuses as the reason', async () => {
    const stranger = await startGcsServer()
    await stranger.stop()
    const unknown = at('any', { serviceaccountJson: stranger.serviceAccountJson })
    await expect(using(unknown, (object) => contentOf(object))).rejects.toMatchObject({
      reason: 'credentials_refused',
    })
  })

  it('an address that may not be called is not connected to, the token endpoint included [F-41]', async () => {
    const from = proxy.requests.length
    const strict = { ...OPTIONS, allow: new BlockList() }
    await expect(using(at('any'), (object) => contentOf(object), strict)).rejects.toMatchObject({
      reason: 'address_refused',
    })
    expect(proxy.requests).toHaveLength(from)
  })

  it('a redirect is not followed [F-41]', async () => {
    server.put('elsewhere', Buffer.from('x'))
    proxy.failWith(({ url }) =>
      isMedia(url) ? { answer: { status: 307, headers: { location: `${server.url}/stolen` } } } : undefined,
    )
    await expect(using(at('elsewhere'), (object) => contentOf(object))).rejects.toMatchObject({
      reason: 'unexpected_answer',
    })
  })
})
