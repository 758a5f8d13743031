import type { RecordOf } from '@signet/file-formats/export/lists'
import { timestamp } from './exported-records.ts'

/** The passkeys of an account `a` as JSON; null where it has none. */
export const PASSKEYS = `(
  SELECT json_agg(json_build_object(
           'passkeyId', p.passkey_id, 'rpId', p.rp_id, 'credentialId', encode(p.credential_id, 'hex'),
           'publicKey', encode(p.public_key, 'hex'), 'counter', p.counter, 'transports', p.transports,
           'aaguid', p.aaguid, 'name', p.name, 'backupEligible', p.backup_eligible, 'backedUp', p.backed_up,
           'creationDate', p.created_at, 'lastUseDate', p.last_used_at, 'clonedDate', p.cloned_at)
         ORDER BY p.passkey_id)
    FROM directory.passkey p WHERE p.user_id = a.user_id)`

type PasskeyMembers = NonNullable<RecordOf<'humanUsers'>['user']['passkeys']>

export interface ExportedPasskeys {
  /** Handle in hexadecimal digits. */
  readonly handle: string | null
  readonly passkeys:
    | readonly (Omit<PasskeyMembers['credentials'][number], 'lastUseDate' | 'clonedDate'> & {
        readonly lastUseDate: string | null
        readonly clonedDate: string | null
      })[]
    | null
}

/** The member `passkeys` of a person; undefined for one without. */
export function passkeysOf({ handle, passkeys }: ExportedPasskeys): PasskeyMembers | undefined {
  if (handle === null || passkeys === null) return undefined
  return {
    handle: base64url(handle),
    credentials: passkeys.map(({ lastUseDate, clonedDate, ...passkey }) => ({
      ...passkey,
      credentialId: base64url(passkey.credentialId),
      publicKey: base64url(passkey.publicKey),
      creationDate: timestamp(new Date(passkey.creationDate)),
      ...(lastUseDate !== null && { lastUseDate: timestamp(new Date(lastUseDate)) }),
      ...(clonedDate !== null && { clonedDate: timestamp(new Date(clonedDate)) }),
    })),
  }
}

const base64url = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url')
