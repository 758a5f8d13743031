import { fileURLToPath } from 'node:url'
import { ConfigurationError, type SettingName, type Settings } from '@signet/platform/config/settings'
import type { Secret } from '@signet/platform/config/settings-fields'
import { z } from 'zod'
import {
  fileLocation,
  gcsLocation,
  type ObjectLocation,
  platformGcsLocation,
  platformS3Location,
  s3Location,
} from './object-location.ts'

/**
 * The storage of the operator, with the operator's credentials, for calls that name a path and nothing else. It alone may use
 * the credentials of the platform: a role of AWS, a workload identity of Google.
 */
export interface OwnStorage {
  /** The object at a path below the operator's prefix. Throws ZodError for a path that leads out of it. */
  locationOf(path: string): ObjectLocation
  /** Folder of `file` locations. */
  readonly folder?: string
}

export const OWN_STORAGE_SETTINGS = [
  'SIGNET_STORAGE_URL',
  'SIGNET_STORAGE_CREDENTIALS',
  'SIGNET_STORAGE_S3_ENDPOINT',
  'SIGNET_STORAGE_S3_REGION',
  'SIGNET_STORAGE_S3_ACCESS_KEY_ID',
  'SIGNET_STORAGE_S3_SECRET_ACCESS_KEY',
  'SIGNET_STORAGE_S3_ENCRYPTION',
  'SIGNET_STORAGE_S3_KMS_KEY_ID',
  'SIGNET_STORAGE_GCS_SERVICE_ACCOUNT',
  'SIGNET_STORAGE_GCS_ENDPOINT',
] as const satisfies readonly SettingName[]

type OwnStorageSettings = Settings<never, (typeof OWN_STORAGE_SETTINGS)[number]>

/** Undefined unless SIGNET_STORAGE_URL is set. Throws ConfigurationError when something for it is missing or wrong. */
export function ownStorage(settings: OwnStorageSettings): OwnStorage | undefined {
  const { SIGNET_STORAGE_URL: text } = settings
  if (text === undefined) return undefined
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || url.port !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigurationError(['SIGNET_STORAGE_URL: may have a bucket and a prefix, nothing else'])
  }
  if (url.protocol === 'file:') {
    // With two slashes the first part would be another machine, with none the folder would lie in the root.
    if (!/^file:\/{3}/i.test(text)) {
      throw new ConfigurationError(['SIGNET_STORAGE_URL: must have three slashes, as in file:///folder'])
    }
    return ownFolder(decoded(() => fileURLToPath(url)))
  }
  const prefix = decoded(() => decodeURIComponent(url.pathname)).replace(/^\/|\/$/g, '')
  const bucket = url.hostname
  const isPlatform = settings.SIGNET_STORAGE_CREDENTIALS === 'platform'
  if (url.protocol === 'gs:') return ownBucketOfGoogle(settings, { bucket, prefix, isPlatform })
  const {
    SIGNET_STORAGE_S3_ENDPOINT: endpoint,
    SIGNET_STORAGE_S3_REGION: region,
    SIGNET_STORAGE_S3_ACCESS_KEY_ID: accessKeyId,
    SIGNET_STORAGE_S3_SECRET_ACCESS_KEY: secretAccessKey,
    SIGNET_STORAGE_S3_ENCRYPTION: serverSideEncryption,
    SIGNET_STORAGE_S3_KMS_KEY_ID: kmsKeyId,
  } = settings
  const place = { bucket, endpoint, region, serverSideEncryption, kmsKeyId }
  if (!isPlatform) {
    return checked(s3Location, prefix, { ...place, accessKeyId, secretAccessKey: secretAccessKey?.reveal() })
  }
  refuseKeys(settings, ['SIGNET_STORAGE_S3_ACCESS_KEY_ID', 'SIGNET_STORAGE_S3_SECRET_ACCESS_KEY'])
  return checked(platformS3Location, prefix, place)
}

interface OwnBucket {
  readonly bucket: string
  readonly prefix: string
  readonly isPlatform: boolean
}

function ownBucketOfGoogle(
  settings: OwnStorageSettings,
  { bucket, prefix, isPlatform }: OwnBucket,
): OwnStorage {
  const { SIGNET_STORAGE_GCS_SERVICE_ACCOUNT: account, SIGNET_STORAGE_GCS_ENDPOINT: endpoint } = settings
  if (isPlatform) refuseKeys(settings, ['SIGNET_STORAGE_GCS_SERVICE_ACCOUNT'])
  const serviceaccountJson = account && base64Of(account)
  const own = isPlatform
    ? checked(platformGcsLocation, prefix, { bucket })
    : checked(gcsLocation, prefix, { bucket, serviceaccountJson })
  if (endpoint === undefined) return own
  // A key file may name where its tokens come from: the operator wrote it, and no caller did.
  const endpoints = { apiUrl: endpoint, tokenUrl: serviceaccountJson && tokenUrlOf(serviceaccountJson) }
  return { locationOf: (path) => ({ ...own.locationOf(path), endpoints }) as ObjectLocation }
}

function tokenUrlOf(serviceaccountJson: string): string | undefined {
  const file = z.object({ token_uri: z.url({ protocol: /^https?$/ }) })
  return file.safeParse(JSON.parse(Buffer.from(serviceaccountJson, 'base64').toString('utf8'))).data
    ?.token_uri
}

function refuseKeys(settings: OwnStorageSettings, names: readonly (keyof OwnStorageSettings)[]): void {
  const given = names.filter((name) => settings[name] !== undefined)
  if (given.length === 0) return
  throw new ConfigurationError(
    given.map((name) => `${name}: is not for SIGNET_STORAGE_CREDENTIALS=platform; remove one of them`),
  )
}

function decoded(decode: () => string): string {
  try {
    return decode()
  } catch {
    throw new ConfigurationError(['SIGNET_STORAGE_URL: must be percent-encoded: "%" is %25, "/" is itself'])
  }
}

/** A folder of this machine; paths are below it. */
export function ownFolder(folder: string): OwnStorage {
  return { folder, locationOf: (path) => fileLocation.parse({ path }) }
}

/** The setting that each member of a location comes from. */
const SOURCES: Readonly<Record<string, SettingName>> = {
  endpoint: 'SIGNET_STORAGE_S3_ENDPOINT',
  region: 'SIGNET_STORAGE_S3_REGION',
  accessKeyId: 'SIGNET_STORAGE_S3_ACCESS_KEY_ID',
  secretAccessKey: 'SIGNET_STORAGE_S3_SECRET_ACCESS_KEY',
  serverSideEncryption: 'SIGNET_STORAGE_S3_ENCRYPTION',
  kmsKeyId: 'SIGNET_STORAGE_S3_KMS_KEY_ID',
  serviceaccountJson: 'SIGNET_STORAGE_GCS_SERVICE_ACCOUNT',
}

function checked(schema: z.ZodType<ObjectLocation>, prefix: string, members: object): OwnStorage {
  const locationOf = (path: string) => {
    // Before it is put behind the prefix: an empty path would be the prefix itself.
    const below = fileLocation.parse({ path }).path
    return schema.parse({ ...members, path: prefix === '' ? below : `${prefix}/${below}` })
  }
  try {
    locationOf('any')
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    throw new ConfigurationError(
      error.issues.map(({ path: [member], message }) => {
        const isMissing = (members as Record<string, unknown>)[String(member)] === undefined
        const name = SOURCES[String(member)]
        return `${name ?? 'SIGNET_STORAGE_URL'}: ${isMissing && name ? 'is required for this SIGNET_STORAGE_URL' : message}`
      }),
    )
  }
  return { locationOf }
}

/** The key file as it is, or in base64. */
function base64Of(account: Secret): string {
  const text = account.reveal().trim()
  return text.startsWith('{') ? Buffer.from(text).toString('base64') : text
}
