import { type RecordOf, readPublicKey } from '@signet/file-formats/export/records'
import { publicKeyProblem } from '@signet/protocol/public-key'
import { detailWriter } from './transfer-detail-writer.ts'

// Writers of the details of one user, application or project.

export const userMetadataWriter = detailWriter<RecordOf<'userMetadata'>>({
  table: 'user_metadata',
  owner: 'user_id',
  key: 'key',
  values: { value: 'bytea' },
  ownerOf: ({ id }) => id,
  keyOf: ({ key }) => key,
  valuesOf: ({ value }) => ({ value: byteaOf(value) }),
  ownerJoins: 'LEFT JOIN directory.account a ON a.user_id = r.owner AND a.organization_id = $3',
  found: 'a.user_id',
  missing: 'the organization has no such user',
})

export const machineKeyWriter = detailWriter<RecordOf<'machineKeys'>>({
  table: 'machine_key',
  owner: 'user_id',
  key: 'kid',
  values: { jwk: 'jsonb', expires_at: 'timestamptz' },
  ownerOf: ({ userId }) => userId,
  keyOf: ({ keyId }) => keyId,
  valuesOf: publicKeyOf,
  problemOf: keyProblem,
  ownerJoins: `LEFT JOIN directory.account a ON a.user_id = r.owner AND a.organization_id = $3
               LEFT JOIN directory.service_user s ON s.user_id = a.user_id`,
  found: 's.user_id',
  missing: 'the organization has no such service user',
})

export const applicationKeyWriter = detailWriter<RecordOf<'appKeys'>>({
  table: 'application_key',
  owner: 'application_id',
  key: 'kid',
  values: { jwk: 'jsonb', expires_at: 'timestamptz' },
  ownerOf: ({ appId }) => appId,
  keyOf: ({ id }) => id,
  valuesOf: publicKeyOf,
  problemOf: keyProblem,
  ownerJoins: `LEFT JOIN directory.application a ON a.application_id = r.owner
               LEFT JOIN directory.project p ON p.project_id = a.project_id AND p.organization_id = $3`,
  found: 'p.project_id',
  missing: 'the organization has no such application',
})

export const projectRoleWriter = detailWriter<RecordOf<'projectRoles'>>({
  table: 'project_role',
  owner: 'project_id',
  key: 'role_key',
  values: { display_name: 'text', role_group: 'text' },
  ownerOf: ({ projectId }) => projectId,
  keyOf: ({ roleKey }) => roleKey,
  valuesOf: ({ roleKey, displayName, group }) => ({
    display_name: displayName || roleKey,
    role_group: group || undefined,
  }),
  ownerJoins: 'LEFT JOIN directory.project p ON p.project_id = r.owner AND p.organization_id = $3',
  found: 'p.project_id',
  missing: 'the organization has no such project',
})

type KeyRecord = RecordOf<'machineKeys'> | RecordOf<'appKeys'>

function publicKeyOf({ publicKey, expirationDate }: KeyRecord) {
  return { jwk: readPublicKey(publicKey)?.export({ format: 'jwk' }), expires_at: expirationDate }
}

function keyProblem({ publicKey }: KeyRecord): string | undefined {
  const key = readPublicKey(publicKey)
  const problem = key === undefined ? 'must be base64 of a PEM public key' : publicKeyProblem(key)
  return problem === undefined ? undefined : `publicKey: ${problem}`
}

/** protojson also reads base64url and leaves padding out; PostgreSQL does not. */
function byteaOf(base64: string): string {
  return `\\x${Buffer.from(base64, 'base64').toString('hex')}`
}
