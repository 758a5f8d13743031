import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings } from '@signet/platform/config/settings'
import { type FaultProxy, startFaultProxy } from '@signet/testing/fault-proxy'
import { type GcsServer, startGcsServer } from '@signet/testing/gcs-server'
import { startS3Server } from '@signet/testing/s3-server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { gcsLocation, s3Location } from '../../src/storage/object-location.ts'
import { OWN_STORAGE_SETTINGS, type OwnStorage, ownStorage } from '../../src/storage/own-storage.ts'
import { contentOf, inChunks, noise, OPTIONS, using } from './storage-fixture.ts'

const own = (env: Readonly<Record<string, string>>): OwnStorage => {
  const storage = ownStorage(readSettings(env, [], OWN_STORAGE_SETTINGS))
  if (storage === undefined) throw new Error('there is no SIGNET_STORAGE_URL')
  return storage
}

let folder: string
const servers: Server[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signet-platform-'))
  for (const name of Object.keys(process.env)) {
    if (/^(AWS|GOOGLE|GCE|GCLOUD)_/.test(name)) vi.stubEnv(name, undefined)
  }
  // No files of the person who runs the test.
  vi.stubEnv('HOME', folder)
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  await rm(folder, { recursive: true })
})

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const SOON = () => new Date(Date.now() + 3_600_000).toISOString()

/** EKS gives a service account of Kubernetes a web identity. */
async function webIdentity(): Promise<void> {
  const url = await listen((_, res) => {
    res.writeHead(200, { 'content-type': 'text/xml' })
    res.end(`<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
      <AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIAWEBIDENTITY</AccessKeyId>
      <SecretAccessKey>secret</SecretAccessKey><SessionToken>of-the-role</SessionToken>
      <Expiration>${SOON()}</Expiration></Credentials></AssumeRoleWithWebIdentityResult>
      </AssumeRoleWithWebIdentityResponse>`)
  })
  await writeFile(join(folder, 'token'), 'a token of the cluster')
  vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', join(folder, 'token'))
  vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::123456789012:role/signet')
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ENDPOINT_URL_STS', url)
}

/** ECS and the pod identities of EKS give a container an address that returns keys. */
async function container(): Promise<void> {
  const url = await listen((_, res) => {
    const keys = { AccessKeyId: 'ASIACONTAINER', SecretAccessKey: 'secret', Token: 'of-the-role' }
    res.writeHead(200, { 'content-type': 'application/json' })
    res.end(JSON.stringify({ ...keys, Expiration: SOON() }))
  })
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${url}/credentials`)
}

describe('the default credential chain of AWS', () => {
  let proxy: FaultProxy
  let storage: OwnStorage
  let stop: () => Promise<void>
  beforeEach(async () => {
    const server = await startS3Server()
    proxy = await startFaultProxy(server.url)
    stop = async () => {
      await proxy.stop()
      await server.stop()
    }
    storage = own({
      SIGNET_STORAGE_URL: `s3://${server.bucket}/moves`,
      SIGNET_STORAGE_S3_ENDPOINT: proxy.url,
      SIGNET_STORAGE_CREDENTIALS: 'platform',
    })
  })
  afterEach(() => stop())

  it.each([
    ['a web identity', webIdentity, 'ASIAWEBIDENTITY'],
    ['a container', container, 'ASIACONTAINER'],
  ] as const)('writes and reads with the role of %s', async (_, give, keyId) => {
    await give()
    const bytes = noise(1_000)
    await using(storage.locationOf('all.json'), async (object) => {
      await object.write(inChunks(bytes))
      expect((await contentOf(object)).equals(bytes)).toBe(true)
    })
    expect(proxy.requests.length).toBeGreaterThan(1)
    for (const { headers, url } of proxy.requests) {
      expect(headers.authorization).toContain(`Credential=${keyId}/`)
      expect(headers['x-amz-security-token']).toBe('of-the-role')
      expect(url.pathname).toContain('/moves/all.json')
    }
  })

  it('says that the platform gives no credentials', async () => {
    const writing = using(storage.locationOf('none.json'), (object) => object.write(inChunks(noise(3))))
    await expect(writing).rejects.toMatchObject({
      reason: 'credentials_missing',
      isTransient: false,
      message: expect.stringContaining('the platform gives this process no credentials'),
    })
    expect(proxy.requests).toEqual([])
  })
})

describe('a location of a caller, with keys of its own', () => {
  const keys = { bucket: 'moves', path: 'all.json', accessKeyId: 'AKIACALLER', secretAccessKey: 'secret' }
  let asked: string[]
  let ambient: string
  beforeEach(async () => {
    asked = []
    ambient = await listen((req, res) => {
      asked.push(`${req.method} ${req.url}`)
      res.writeHead(200, { 'content-length': 3, etag: '"a"' }).end()
    })
  })

  it.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'])('sends nothing to %s', async (name) => {
    vi.stubEnv(name, ambient)
    // No name server knows this region.
    const location = s3Location.parse({ ...keys, region: 'nowhere-1' })
    await expect(using(location, (object) => object.head())).rejects.toMatchObject({ reason: 'unreachable' })
    expect(asked).toEqual([])
  })

  it('is used as it is where variables and a profile choose other kinds of endpoints', async () => {
    vi.stubEnv('AWS_USE_FIPS_ENDPOINT', 'true')
    vi.stubEnv('AWS_USE_DUALSTACK_ENDPOINT', 'true')
    vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'))
    vi.stubEnv('AWS_MAX_ATTEMPTS', 'none')
    vi.stubEnv('AWS_DEFAULTS_MODE', 'none')
    await writeFile(join(folder, 'config'), `[default]\nendpoint_url = http://127.0.0.1:1\n`)
    const location = s3Location.parse({ ...keys, endpoint: ambient })
    expect(await using(location, (object) => object.head())).toEqual({ sizeBytes: 3 })
    expect(asked).toEqual(['HEAD /moves/all.json'])
  })

  it('of Google, sends nothing to STORAGE_EMULATOR_HOST', async () => {
    const server = await startGcsServer()
    try {
      vi.stubEnv('STORAGE_EMULATOR_HOST', ambient)
      const { bucket, serviceAccountJson: serviceaccountJson, url } = server
      const location = gcsLocation.parse({ path: 'all.json', bucket, serviceaccountJson })
      await using(location, (object) => object.write(inChunks(noise(3))), {
        ...OPTIONS,
        gcs: { apiUrl: url, tokenUrl: `${url}/token` },
      })
      expect(server.objects.has('all.json')).toBe(true)
      expect(asked).toEqual([])
    } finally {
      await server.stop()
    }
  })
})

describe('Application Default Credentials of Google', () => {
  let server: GcsServer
  beforeEach(async () => {
    server = await startGcsServer()
  })
  afterEach(() => server.stop())

  it('writes and reads with the identity of the workload, at another endpoint', async () => {
    const asked: string[] = []
    const metadata = await listen((req, res) => {
      asked.push(req.url ?? '')
      res.writeHead(200, { 'content-type': 'application/json', 'metadata-flavor': 'Google' })
      res.end(JSON.stringify({ access_token: server.newToken(), expires_in: 3600, token_type: 'Bearer' }))
    })
    vi.stubEnv('GCE_METADATA_HOST', new URL(metadata).host)
    vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present')
    const storage = own({
      SIGNET_STORAGE_URL: `gs://${server.bucket}/moves`,
      SIGNET_STORAGE_GCS_ENDPOINT: server.url,
      SIGNET_STORAGE_CREDENTIALS: 'platform',
    })
    const bytes = noise(1_000)
    await using(storage.locationOf('all.json'), async (object) => {
      await object.write(inChunks(bytes))
      expect((await contentOf(object)).equals(bytes)).toBe(true)
    })
    expect(server.objects.has('moves/all.json')).toBe(true)
    expect(asked.some((url) => url.includes('/service-accounts/default/token'))).toBe(true)
  })

  it('uses a key file at another endpoint', async () => {
    const keyFile = JSON.parse(Buffer.from(server.serviceAccountJson, 'base64').toString())
    const storage = own({
      SIGNET_STORAGE_URL: `gs://${server.bucket}`,
      SIGNET_STORAGE_GCS_ENDPOINT: server.url,
      SIGNET_STORAGE_GCS_SERVICE_ACCOUNT: JSON.stringify({ ...keyFile, token_uri: `${server.url}/token` }),
    })
    await using(storage.locationOf('keyed.json'), (object) => object.write(inChunks(noise(3))))
    expect(server.objects.has('keyed.json')).toBe(true)
  })
})
