import { readFile } from 'node:fs/promises'
import type { Environment } from '@signet/platform/config/settings'
import { createReadFailure } from '../context.ts'
import { UsageError } from '../exit-codes.ts'

/** The storage location of an object, in the form of the requests to /admin/v1. It contains credentials. */
export interface StoragePlace {
  /** `storage` is the storage of the server; its value is only a path. */
  readonly kind: 's3' | 'gcs' | 'storage'
  readonly value: Readonly<Record<string, unknown>>
}

export const STORAGE_HELP = `The server itself reads and writes s3://BUCKET/PATH and gs://BUCKET/PATH, so an object may have any size. Their credentials
come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or from the key file that
GOOGLE_APPLICATION_CREDENTIALS names; they are kept sealed until the job has ended. --endpoint and --region are for S3.
storage:PATH is in the storage of the server, if it has one, and needs no credentials.`

/**
 * The location of `s3://bucket/path`, `gs://bucket/path` and `storage:path`; undefined for any other text, which names a
 * file.
 */
export async function storagePlace(
  text: string,
  { endpoint, region }: { readonly endpoint?: string | undefined; readonly region?: string | undefined },
  env: Environment,
): Promise<StoragePlace | undefined> {
  const [, scheme, bucket, path] = /^(s3|gs):\/\/([^/]+)\/(.+)$/.exec(text) ?? []
  if (scheme === undefined) {
    if (endpoint !== undefined || region !== undefined) {
      throw new UsageError('--endpoint and --region belong to a place such as s3://bucket/path')
    }
    const [, ownPath] = /^storage:(.*)$/.exec(text) ?? []
    if (ownPath === '') throw new UsageError('storage: needs the path of an object, as in storage:PATH')
    return ownPath === undefined ? undefined : { kind: 'storage', value: { path: ownPath } }
  }
  if (scheme === 'gs')
    return { kind: 'gcs', value: { bucket, path, serviceaccount_json: await serviceAccount(env) } }
  const credentials = {
    access_key_id: required(env, 'AWS_ACCESS_KEY_ID'),
    secret_access_key: required(env, 'AWS_SECRET_ACCESS_KEY'),
    session_token: env.AWS_SESSION_TOKEN,
  }
  return { kind: 's3', value: { bucket, path, endpoint, region, ...credentials } }
}

async function serviceAccount(env: Environment): Promise<string> {
  const file = required(env, 'GOOGLE_APPLICATION_CREDENTIALS')
  return await readFile(file, 'base64').catch(createReadFailure(file))
}

function required(env: Environment, name: string): string {
  const value = env[name]
  if (value === undefined || value === '') throw new UsageError(`${name}: set it for this place`)
  return value
}
