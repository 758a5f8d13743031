import { createPrivateKey } from 'node:crypto'
import { Secret } from '@signet/platform/config/settings-fields'
import { z } from 'zod'

/** The name of an object inside its bucket. */
const path = z
  .string()
  .min(1, 'must name an object')
  .refine((value) => Buffer.byteLength(value) <= 1024, 'may have at most 1024 bytes')
  .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
  .refine((value) => !value.split('/').some((part) => part === '.' || part === '..'), {
    error: 'must not contain "." or ".." as a part',
  })

const bucket = z.string().regex(/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/i, 'must be the name of a bucket')
const secretText = z
  .string()
  .min(1, 'must not be empty')
  .transform((value) => new Secret(value))

const s3Place = {
  path,
  bucket,
  endpoint: z.string().max(500).optional(),
  ssl: z.boolean().optional(),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,50}$/, 'must be the name of a region')
    .optional(),
  pathStyle: z.boolean().optional(),
  /** How the service encrypts the objects that it stores. */
  serverSideEncryption: z.enum(['SSE-S3', 'SSE-KMS'], { error: 'must be SSE-S3 or SSE-KMS' }).optional(),
  /** Key for SSE-KMS; by default the key of the account for S3. */
  kmsKeyId: z.string().min(1).max(2_048).optional(),
}

/** `s3_output`, `data_orgs_s3`, `data_orgsv1_s3` with lowerCamelCase names. Unknown members are left out. */
export const s3Location = z
  .object({
    ...s3Place,
    accessKeyId: z.string().min(1, 'must not be empty'),
    secretAccessKey: secretText,
    sessionToken: secretText.optional(),
  })
  .transform(inS3)

/**
 * A place in S3 for the credentials that the platform gives to this process. The operator's settings alone name one: a
 * caller must never use the server's own role for a bucket that the caller chooses.
 */
export const platformS3Location = z
  .object(s3Place)
  .transform(inS3)
  .transform((location) => ({ ...location, credentials: 'platform' as const }))

function inS3<L extends z.output<z.ZodObject<typeof s3Place>>>(
  { endpoint, ssl, ...rest }: L,
  context: z.core.$RefinementCtx<L>,
) {
  const url = endpointUrl(endpoint, ssl)
  if (url === null) {
    const message = 'must be a host, host:port or http(s) URL without path'
    context.addIssue({ code: 'custom', path: ['endpoint'], message })
    return z.NEVER
  }
  if (rest.kmsKeyId !== undefined && rest.serverSideEncryption !== 'SSE-KMS') {
    context.addIssue({ code: 'custom', path: ['kmsKeyId'], message: 'is for SSE-KMS only' })
    return z.NEVER
  }
  return { provider: 's3' as const, ...rest, ...(url !== undefined && { endpoint: url }) }
}

/**
 * Returns the URL of an endpoint. Without an endpoint AWS is meant; without a scheme, TLS unless `ssl` is false. Null
 * when it cannot be read.
 */
function endpointUrl(endpoint: string | undefined, ssl: boolean | undefined): string | null | undefined {
  if (endpoint === undefined || endpoint === '') return undefined
  const text = /^https?:\/\//i.test(endpoint) ? endpoint : `${ssl === false ? 'http' : 'https'}://${endpoint}`
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return null
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : null
}

// Other kinds of credentials name files, programs and addresses to ask; a caller must not choose those.
const serviceAccount = z.object({
  type: z.literal('service_account', { error: 'must be the key file of a service account' }),
  client_email: z.string().min(3).max(320),
  private_key: z.string().refine(isPrivateKey, 'must hold the private key of the service account'),
})

/** `storage_output`, `gcs_output`, `data_orgs_gcs`, `data_orgsv1_storage` with lowerCamelCase names. */
export const gcsLocation = z
  .object({
    path,
    bucket,
    serviceaccountJson: z.string().transform((text, context) => {
      const parsed = serviceAccount.safeParse(parseBase64Json(text))
      if (parsed.success) {
        return { clientEmail: parsed.data.client_email, privateKey: new Secret(parsed.data.private_key) }
      }
      const [issue] = parsed.error.issues
      const member = issue?.path.join('.') || 'the whole'
      const rule = issue?.path.length ? issue.message : 'must be base64 of a JSON object'
      context.addIssue({ code: 'custom', message: `${member}: ${rule}` })
      return z.NEVER
    }),
  })
  .transform(({ serviceaccountJson, ...rest }) => ({
    provider: 'gcs' as const,
    ...rest,
    serviceAccount: serviceaccountJson,
  }))

/** A place in Google Cloud Storage for the credentials of the platform; see `platformS3Location`. */
export const platformGcsLocation = z
  .object({ path, bucket })
  .transform((rest) => ({ provider: 'gcs' as const, ...rest, credentials: 'platform' as const }))

/** `local_output`, `data_orgs_local`, `data_orgsv1_local`: a path below the folder of this installation. */
export const fileLocation = z.object({ path }).transform((rest) => ({ provider: 'file' as const, ...rest }))

export type S3Location = z.output<typeof s3Location> | z.output<typeof platformS3Location>
export type ServiceAccount = z.output<typeof gcsLocation>['serviceAccount']
export type GcsLocation = (z.output<typeof gcsLocation> | z.output<typeof platformGcsLocation>) & {
  /** URLs of the API when it is not served by Google's usual host, as the operator's settings say. */
  readonly endpoints?: { readonly apiUrl: string; readonly tokenUrl?: string | undefined }
}
export type FileLocation = z.output<typeof fileLocation>
export type ObjectLocation = S3Location | GcsLocation | FileLocation

function parseBase64Json(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
  } catch {
    return undefined
  }
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
