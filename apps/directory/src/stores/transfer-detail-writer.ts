import { type RecordOf, readPublicKey } from '@signet/export-format/records'
import type { TypedWriter } from '../transfer/record-writer.ts'
import { type FateRow, toFates, writeRows } from './transfer-statements.ts'

// What hangs on one user or application: metadata and public keys.

const jwkOf = (publicKey: string) => readPublicKey(publicKey)?.export({ format: 'jwk' })

export const userMetadataWriter: TypedWriter<RecordOf<'userMetadata'>> = {
  async fates(tx, entries, { organizationId }) {
    const { rows } = await tx.query<FateRow>({
      name: 'transfer.user_metadata.fates', // primary keys
      text: `SELECT r.place, CASE WHEN a.user_id IS NULL THEN 'the organization has no such user' END AS reason
               FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (user_id, key, place)
               LEFT JOIN directory.account a ON a.user_id = r.user_id AND a.organization_id = $3
               LEFT JOIN directory.user_metadata m ON m.user_id = r.user_id AND m.key = r.key
              WHERE a.user_id IS NULL OR m.user_id IS NOT NULL`,
      values: [entries.map(({ id }) => id), entries.map(({ key }) => key), organizationId],
    })
    return toFates(rows)
  },
  insert: (tx, entries) => writeRows(tx, SET_METADATA, entries.map(metadataRow)),
  update: (tx, entries) => writeRows(tx, SET_METADATA, entries.map(metadataRow)),
}

/** protojson also reads base64url and leaves padding out; PostgreSQL does not. */
function metadataRow({ id, key, value }: RecordOf<'userMetadata'>) {
  return { user_id: id, key, value: Buffer.from(value, 'base64').toString('base64') }
}

const SET_METADATA = {
  name: 'transfer.user_metadata.set', // primary key
  text: `INSERT INTO directory.user_metadata (user_id, key, value)
         SELECT user_id, key, decode(value, 'base64') FROM jsonb_to_recordset($1::jsonb) AS r (user_id text, key text, value text)
             ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value`,
}

export const machineKeyWriter: TypedWriter<RecordOf<'machineKeys'>> = {
  async fates(tx, keys, { organizationId }) {
    const { rows } = await tx.query<FateRow>({
      name: 'transfer.machine_key.fates', // primary keys
      text: `SELECT r.place, CASE WHEN s.user_id IS NULL THEN 'the organization has no such service user' END AS reason
               FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (user_id, kid, place)
               LEFT JOIN directory.account a ON a.user_id = r.user_id AND a.organization_id = $3
               LEFT JOIN directory.service_user s ON s.user_id = a.user_id
               LEFT JOIN directory.machine_key k ON k.user_id = r.user_id AND k.kid = r.kid
              WHERE s.user_id IS NULL OR k.user_id IS NOT NULL`,
      values: [keys.map(({ userId }) => userId), keys.map(({ keyId }) => keyId), organizationId],
    })
    return toFates(rows)
  },
  insert: (tx, keys) => writeRows(tx, SET_MACHINE_KEYS, keys.map(machineKeyRow)),
  update: (tx, keys) => writeRows(tx, SET_MACHINE_KEYS, keys.map(machineKeyRow)),
}

function machineKeyRow({ userId, keyId, publicKey, expirationDate }: RecordOf<'machineKeys'>) {
  return { user_id: userId, kid: keyId, jwk: jwkOf(publicKey), expires_at: expirationDate }
}

const SET_MACHINE_KEYS = {
  name: 'transfer.machine_key.set', // primary key
  text: `INSERT INTO directory.machine_key (user_id, kid, jwk, expires_at)
         SELECT user_id, kid, jwk, expires_at
           FROM jsonb_to_recordset($1::jsonb) AS r (user_id text, kid text, jwk jsonb, expires_at timestamptz)
             ON CONFLICT (user_id, kid) DO UPDATE SET jwk = excluded.jwk, expires_at = excluded.expires_at`,
}

export const applicationKeyWriter: TypedWriter<RecordOf<'appKeys'>> = {
  async fates(tx, keys, { organizationId }) {
    const { rows } = await tx.query<FateRow>({
      name: 'transfer.application_key.fates', // primary keys
      text: `SELECT r.place, CASE WHEN p.project_id IS NULL THEN 'the organization has no such application' END AS reason
               FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (application_id, kid, place)
               LEFT JOIN directory.application a ON a.application_id = r.application_id
               LEFT JOIN directory.project p ON p.project_id = a.project_id AND p.organization_id = $3
               LEFT JOIN directory.application_key k ON k.application_id = r.application_id AND k.kid = r.kid
              WHERE p.project_id IS NULL OR k.application_id IS NOT NULL`,
      values: [keys.map(({ appId }) => appId), keys.map(({ id }) => id), organizationId],
    })
    return toFates(rows)
  },
  insert: (tx, keys) => writeRows(tx, SET_APPLICATION_KEYS, keys.map(applicationKeyRow)),
  update: (tx, keys) => writeRows(tx, SET_APPLICATION_KEYS, keys.map(applicationKeyRow)),
}

function applicationKeyRow({ appId, id, publicKey, expirationDate }: RecordOf<'appKeys'>) {
  return { application_id: appId, kid: id, jwk: jwkOf(publicKey), expires_at: expirationDate }
}

const SET_APPLICATION_KEYS = {
  name: 'transfer.application_key.set', // primary key
  text: `INSERT INTO directory.application_key (application_id, kid, jwk, expires_at)
         SELECT application_id, kid, jwk, expires_at
           FROM jsonb_to_recordset($1::jsonb) AS r (application_id text, kid text, jwk jsonb, expires_at timestamptz)
             ON CONFLICT (application_id, kid) DO UPDATE SET jwk = excluded.jwk, expires_at = excluded.expires_at`,
}
