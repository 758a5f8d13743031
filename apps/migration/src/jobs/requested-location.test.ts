import { generateKeyPairSync } from 'node:crypto'
import { readSettings } from '@signet/platform/config/settings'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { gcsLocation, s3Location } from '../storage/object-location.ts'
import { OWN_STORAGE_SETTINGS, ownStorage } from '../storage/own-storage.ts'
import { createResolveLocation } from './requested-location.ts'

const s3 = { path: 'a/export.json', bucket: 'exports', accessKeyId: 'AKIA', secretAccessKey: 'canary' }
const endpointOf = (endpoint: string, more: object = {}) =>
  s3Location.safeParse({ ...s3, endpoint, ...more }).data?.endpoint

const pem = (type: 'rsa' | 'ed25519') =>
  (type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ed25519')
  ).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  })
const keyFile = {
  type: 'service_account',
  client_email: 'a@b.iam.gserviceaccount.com',
  private_key: pem('rsa'),
}
const gcs = (file: unknown) =>
  gcsLocation.safeParse({
    path: 'export.json',
    bucket: 'exports',
    serviceaccountJson: Buffer.from(typeof file === 'string' ? file : JSON.stringify(file)).toString(
      'base64',
    ),
  })

describe('storage objects', () => {
  it('S3: TLS unless disabled, AWS unless an endpoint is named', () => {
    expect(s3Location.parse(s3)).not.toHaveProperty('endpoint')
    expect(s3Location.parse({ ...s3, endpoint: '' })).not.toHaveProperty('endpoint')
    expect(endpointOf('minio.example:9000')).toBe('https://minio.example:9000')
    expect(endpointOf('minio.example', { ssl: true })).toBe('https://minio.example')
    expect(endpointOf('minio.example:9000', { ssl: false })).toBe('http://minio.example:9000')
    expect(endpointOf('http://minio.example', { ssl: true })).toBe('http://minio.example')
  })

  it.each(['https://user:pass@host', 'host/path', 'https://host?x', 'ftp://host', 'a b', 'https://'])(
    'S3: refuses the endpoint %s, naming the field',
    (endpoint) => {
      expect(s3Location.safeParse({ ...s3, endpoint }).error?.issues[0]?.path).toEqual(['endpoint'])
    },
  )

  it('every field is checked, unknown ones are left out, secrets do not print', () => {
    const fields = s3Location.safeParse({
      path: '../x',
      bucket: '-',
      accessKeyId: '',
      secretAccessKey: '',
      region: 'a b',
    })
    expect(fields.error?.issues.map(({ path }) => path[0]).toSorted()).toEqual(
      ['accessKeyId', 'bucket', 'path', 'region', 'secretAccessKey'].toSorted(),
    )
    const location = s3Location.parse({ ...s3, sessionToken: 'canary', somethingElse: 1 })
    expect(location).not.toHaveProperty('somethingElse')
    expect(JSON.stringify(location)).not.toContain('canary')
  })

  it("Google Cloud Storage: reads only the account of a service account's key file", () => {
    const { data } = gcs({
      ...keyFile,
      token_uri: 'http://169.254.169.254/',
      universe_domain: 'evil.example',
    })
    expect(data?.serviceAccount).toEqual({ clientEmail: keyFile.client_email, privateKey: expect.anything() })
    expect(JSON.stringify(data)).not.toContain('PRIVATE KEY')
  })

  it.each([
    ['the whole', 'not json'],
    ['the whole', '[]'],
    ['type', { ...keyFile, type: 'external_account', credential_source: { file: '/etc/passwd' } }],
    ['type', { ...keyFile, type: 'authorized_user' }],
    ['client_email', { ...keyFile, client_email: 7 }],
    ['private_key', { ...keyFile, private_key: 'canary' }],
    ['private_key', { ...keyFile, private_key: pem('ed25519') }],
  ])('Google Cloud Storage: refuses a key file with an invalid member: %s (%#)', (member, file) => {
    const [issue] = gcs(file).error?.issues ?? []
    expect(issue?.path).toEqual(['serviceaccountJson'])
    expect(issue?.message).toContain(member)
    expect(issue?.message).not.toContain('canary')
  })
})

describe('the storage of the operator', () => {
  const settings = {
    SIGNET_STORAGE_URL: 's3://moves/signet/2026/',
    SIGNET_STORAGE_S3_ENDPOINT: 'http://store:9000',
    SIGNET_STORAGE_S3_ACCESS_KEY_ID: 'id',
    SIGNET_STORAGE_S3_SECRET_ACCESS_KEY: 'key',
  }
  const read = (env: Readonly<Record<string, string>>) =>
    ownStorage(readSettings(env, [], OWN_STORAGE_SETTINGS))

  it('puts paths below the prefix, with the credentials of the environment', () => {
    expect(read(settings)?.locationOf('all.json')).toMatchObject({
      provider: 's3',
      bucket: 'moves',
      path: 'signet/2026/all.json',
      endpoint: 'http://store:9000',
      accessKeyId: 'id',
    })
    expect(read({ SIGNET_STORAGE_URL: 'file:///srv/moves' })).toMatchObject({ folder: '/srv/moves' })
    expect(read({})).toBeUndefined()
  })

  it('is used with the credentials of the platform only if the settings say so', () => {
    const { SIGNET_STORAGE_S3_ACCESS_KEY_ID: _, SIGNET_STORAGE_S3_SECRET_ACCESS_KEY: __, ...place } = settings
    const platform = { SIGNET_STORAGE_CREDENTIALS: 'platform' }
    expect(read({ ...place, ...platform })?.locationOf('all.json')).toMatchObject({
      provider: 's3',
      path: 'signet/2026/all.json',
      credentials: 'platform',
    })
    expect(read(settings)?.locationOf('all.json')).not.toHaveProperty('credentials')
    expect(() => read(place)).toThrow('SIGNET_STORAGE_S3_ACCESS_KEY_ID: is required')
    expect(() => read({ ...settings, ...platform })).toThrow('is not for SIGNET_STORAGE_CREDENTIALS=platform')
    const google = { SIGNET_STORAGE_URL: 'gs://moves', ...platform }
    expect(read(google)?.locationOf('a')).toEqual({
      provider: 'gcs',
      bucket: 'moves',
      path: 'a',
      credentials: 'platform',
    })
    const account = { ...google, SIGNET_STORAGE_GCS_SERVICE_ACCOUNT: JSON.stringify(keyFile) }
    expect(() => read(account)).toThrow('SIGNET_STORAGE_GCS_SERVICE_ACCOUNT: is not for')
  })

  it('gives the credentials of the platform to no place that a caller names', () => {
    const { SIGNET_STORAGE_S3_ACCESS_KEY_ID: _, SIGNET_STORAGE_S3_SECRET_ACCESS_KEY: __, ...place } = settings
    for (const env of [
      { ...place, SIGNET_STORAGE_CREDENTIALS: 'platform' },
      { SIGNET_STORAGE_URL: 'gs://moves', SIGNET_STORAGE_CREDENTIALS: 'platform' },
    ]) {
      const resolve = createResolveLocation(read(env))
      expect(resolve({ member: 'storageOutput', value: { path: 'a' } })).toMatchObject({
        isOwn: true,
        location: { bucket: 'moves', credentials: 'platform' },
      })
      const members = ['s3Output', 'storageOutput', 'gcsOutput', 'dataOrgsS3', 'dataOrgsv1Storage'] as const
      for (const member of members) {
        const named = { path: 'a', bucket: 'of-the-caller' }
        for (const value of [
          named,
          { ...named, credentials: 'platform' },
          { ...named, accessKeyId: '', secretAccessKey: '', serviceaccountJson: '' },
          { path: 'a', credentials: 'platform' },
          { path: 'a', bucket: 'moves' },
        ]) {
          expect(() => resolve({ member, value }), `${member} ${JSON.stringify(value)}`).toThrow(z.ZodError)
        }
      }
    }
    const keyed = { ...s3, credentials: 'platform', endpoints: { apiUrl: 'http://10.0.0.1' } }
    expect(s3Location.parse(keyed)).not.toHaveProperty('credentials')
    expect(gcs(keyFile).data).not.toHaveProperty('endpoints')
  })

  it('encrypts in S3 as the settings say', () => {
    const kms = {
      ...settings,
      SIGNET_STORAGE_S3_ENCRYPTION: 'SSE-KMS',
      SIGNET_STORAGE_S3_KMS_KEY_ID: 'alias/moves',
    }
    expect(read(kms)?.locationOf('a')).toMatchObject({
      serverSideEncryption: 'SSE-KMS',
      kmsKeyId: 'alias/moves',
    })
    expect(() => read({ ...kms, SIGNET_STORAGE_S3_ENCRYPTION: 'SSE-S3' })).toThrow(
      'SIGNET_STORAGE_S3_KMS_KEY_ID: is for SSE-KMS only',
    )
    expect(() => read({ ...kms, SIGNET_STORAGE_S3_ENCRYPTION: 'AES256' })).toThrow(
      'SIGNET_STORAGE_S3_ENCRYPTION',
    )
  })

  it('has another endpoint of Google, with the token address of the key file', () => {
    const env = {
      SIGNET_STORAGE_URL: 'gs://moves',
      SIGNET_STORAGE_GCS_ENDPOINT: 'https://storage.europe-west3.rep.googleapis.com',
      SIGNET_STORAGE_GCS_SERVICE_ACCOUNT: JSON.stringify({
        ...keyFile,
        token_uri: 'https://tokens.example/t',
      }),
    }
    const endpoints = { apiUrl: env.SIGNET_STORAGE_GCS_ENDPOINT, tokenUrl: 'https://tokens.example/t' }
    expect(read(env)?.locationOf('a')).toMatchObject({ provider: 'gcs', endpoints })
  })

  it('a key file of Google is read as it is and in base64', () => {
    const key = JSON.stringify(keyFile)
    for (const account of [key, Buffer.from(key).toString('base64')]) {
      const env = { SIGNET_STORAGE_URL: 'gs://moves', SIGNET_STORAGE_GCS_SERVICE_ACCOUNT: account }
      expect(read(env)?.locationOf('a/b.json')).toMatchObject({
        provider: 'gcs',
        bucket: 'moves',
        path: 'a/b.json',
      })
    }
  })

  it.each(['', '../other.json', 'a/../../other.json', './a', 'a/.'])(
    'no path leads out of the prefix: %j',
    (path) => {
      expect(() => read(settings)?.locationOf(path)).toThrow(/must/)
    },
  )

  it.each([
    [
      { ...settings, SIGNET_STORAGE_S3_SECRET_ACCESS_KEY: '' },
      'SIGNET_STORAGE_S3_SECRET_ACCESS_KEY: is required',
    ],
    [{ SIGNET_STORAGE_URL: 'gs://moves' }, 'SIGNET_STORAGE_GCS_SERVICE_ACCOUNT: is required'],
    [{ ...settings, SIGNET_STORAGE_URL: 's3:///prefix' }, 'SIGNET_STORAGE_URL: must be the name of a bucket'],
    [{ ...settings, SIGNET_STORAGE_URL: 's3://id:key@moves' }, 'SIGNET_STORAGE_URL: may have a bucket'],
    [{ ...settings, SIGNET_STORAGE_URL: 's3://moves/100%' }, 'SIGNET_STORAGE_URL: must be percent-encoded'],
    [{ SIGNET_STORAGE_URL: 'file:///srv/100%' }, 'SIGNET_STORAGE_URL: must be percent-encoded'],
    [{ SIGNET_STORAGE_URL: 'file://srv/moves' }, 'SIGNET_STORAGE_URL: must have three slashes'],
    [{ SIGNET_STORAGE_URL: 'file:moves' }, 'SIGNET_STORAGE_URL: must have three slashes'],
  ])('a start without a required setting fails: %j', (env, problem) => {
    expect(() => read(env)).toThrow(problem)
  })
})
