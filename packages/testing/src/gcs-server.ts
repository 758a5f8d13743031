import { generateKeyPairSync, randomUUID, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { startHttpServer } from './http-server.ts'

interface StoredObject {
  readonly content: Buffer
  readonly generation: string
}

interface Upload {
  readonly object: string
  content: Buffer
}

interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly json?: object
  readonly body?: Buffer
}

/** A server with as much of the JSON API of Google Cloud Storage as creating and reading one object takes. */
export async function startGcsServer() {
  const bucket = 'exports'
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<string, Upload>()
  const tokens = new Set<string>()
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let generation = 1
  const put = (name: string, content: Buffer) => {
    generation += 1
    objects.set(name, { content, generation: String(generation) })
  }

  async function answer(req: IncomingMessage): Promise<Answer> {
    const url = new URL(req.url ?? '/', 'http://gcs')
    const body = await buffer(req)
    if (url.pathname === '/token') return token(new URLSearchParams(body.toString()))
    if (!tokens.has(req.headers.authorization?.replace('Bearer ', '') ?? '')) return { status: 401 }
    const [, inBucket, object] =
      /^\/(?:upload\/)?storage\/v1\/b\/([^/]+)\/o(?:\/([^/]+))?$/.exec(url.pathname) ?? []
    if (inBucket !== bucket) return { status: 404 }
    const session = url.searchParams.get('upload_id')
    if (session !== null) return upload(session, req, body)
    if (req.method === 'POST') return begin(url, req)
    return read(decodeURIComponent(object ?? ''), url, req)
  }

  function newToken(): string {
    const token = randomUUID()
    tokens.add(token)
    return token
  }

  function token(form: URLSearchParams): Answer {
    const [header, claims, signature] = (form.get('assertion') ?? '').split('.')
    const signed = Buffer.from(`${header}.${claims}`)
    const isOurs = verify('sha256', signed, publicKey, Buffer.from(signature ?? '', 'base64url'))
    if (!isOurs)
      return { status: 400, json: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } }
    return { status: 200, json: { access_token: newToken(), expires_in: 3600, token_type: 'Bearer' } }
  }

  function begin(url: URL, req: IncomingMessage): Answer {
    const object = url.searchParams.get('name') ?? ''
    if (url.searchParams.get('ifGenerationMatch') === '0' && objects.has(object)) return { status: 412 }
    const id = randomUUID()
    uploads.set(id, { object, content: Buffer.alloc(0) })
    const location = `http://${req.headers.host}/upload/storage/v1/b/${bucket}/o?upload_id=${id}`
    return { status: 200, headers: { location } }
  }

  function upload(id: string, req: IncomingMessage, body: Buffer): Answer {
    const session = uploads.get(id)
    if (session === undefined) return { status: 404 }
    if (req.method === 'DELETE') {
      uploads.delete(id)
      return { status: 499 }
    }
    const [, from, end, total] =
      /^bytes (?:(\d+)-(\d+|\*)|\*)\/(\d+|\*)$/.exec(req.headers['content-range'] ?? '') ?? []
    if (from !== undefined && Number(from) !== session.content.length) return { status: 400 }
    session.content = Buffer.concat([session.content, body])
    const { length } = session.content
    if (end !== '*' && Number(total) !== length) {
      return { status: 308, headers: length === 0 ? {} : { range: `bytes=0-${length - 1}` } }
    }
    uploads.delete(id)
    put(session.object, session.content)
    return { status: 200, json: { name: session.object, size: String(length) } }
  }

  function read(name: string, url: URL, req: IncomingMessage): Answer {
    const object = objects.get(name)
    if (object === undefined) return { status: 404 }
    const wanted = url.searchParams.get('ifGenerationMatch')
    if (wanted !== null && wanted !== object.generation) return { status: 412 }
    const { content, generation } = object
    if (url.searchParams.get('alt') !== 'media') {
      return { status: 200, json: { name, size: String(content.length), generation } }
    }
    const [, from] = /^bytes=(\d+)-$/.exec(req.headers.range ?? '') ?? []
    return { status: from === undefined ? 200 : 206, body: content.subarray(Number(from ?? 0)) }
  }

  const { url, stop } = await startHttpServer((req, res) => {
    answer(req).then(
      ({ status, headers, json, body = Buffer.from(JSON.stringify(json ?? {})) }) => {
        const type = json === undefined ? 'application/octet-stream' : 'application/json'
        res.writeHead(status, { 'content-type': type, 'content-length': body.length, ...headers }).end(body)
      },
      // The client went away in the middle of it.
      () => res.destroy(),
    )
  })
  const keyFile = {
    type: 'service_account',
    client_email: 'signet@test.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }
  return {
    url,
    bucket,
    /** Base64 of the key file of the one service account that the server knows. */
    serviceAccountJson: Buffer.from(JSON.stringify(keyFile)).toString('base64'),
    objects: objects as ReadonlyMap<string, StoredObject>,
    /** Sessions that neither ended nor were cancelled. */
    uploads: uploads as ReadonlyMap<string, Upload>,
    put,
    /** Forgets every upload, as the service does with old ones. */
    loseUploads: () => uploads.clear(),
    /** An access token that the server takes. */
    newToken,
    stop,
  }
}

export type GcsServer = Awaited<ReturnType<typeof startGcsServer>>
