import type { InvalidRecord } from '@signet/file-formats/export/document-sink'
import type { RecordOf } from '@signet/file-formats/export/lists'
import { judgeHash } from '@signet/password-hash/stored-hash'

/** The credentials of the people of a document. */
export interface CredentialCounts {
  readonly passwordHashes: {
    readonly verifiesHere: number
    /** Above the bound for new hashes; an invalid record. */
    readonly tooSlow: number
    /** Number of hashes with an unknown format or an invalid value; an invalid record. */
    readonly unusable: number
  }
  /** Kinds of hashes that verify here, the most frequent first. `milliseconds` is estimated by the parameters. */
  readonly kinds: readonly HashKind[]
  /** Hashed when they are imported. */
  readonly clearPasswords: number
  readonly withoutPassword: number
  readonly totpSecrets: { readonly usable: number; readonly unusable: number }
  /** Number of passkeys, with any RP ID. */
  readonly passkeys: number
}

interface HashKind {
  readonly kind: string
  readonly count: number
  readonly milliseconds: number
}

export interface CredentialCounter {
  add(person: RecordOf<'humanUsers'>): void
  /** A record of a person that breaks a rule. */
  addInvalid(record: InvalidRecord): void
  counts(): CredentialCounts
}

/** A document may have a hash of other parameters for each person. */
const MOST_KINDS = 50
const OTHER_KINDS = 'other kinds'

export function createCredentialCounter(): CredentialCounter {
  const hashes = { verifiesHere: 0, tooSlow: 0, unusable: 0 }
  const totp = { usable: 0, unusable: 0 }
  const kinds = new Map<string, { count: number; milliseconds: number }>()
  let clearPasswords = 0
  let withoutPassword = 0
  let passkeyCount = 0

  function addHash(hash: string): void {
    const judged = judgeHash(hash)
    hashes[judged.verdict] += 1
    if (judged.verdict !== 'verifiesHere') return
    const name = kinds.has(judged.kind) || kinds.size < MOST_KINDS ? judged.kind : OTHER_KINDS
    const { count = 0, milliseconds = 0 } = kinds.get(name) ?? {}
    kinds.set(name, { count: count + 1, milliseconds: Math.max(milliseconds, judged.estimatedMs) })
  }

  return {
    add({ user: { hashedPassword, password, otpCode, totpDevices = [], passkeys } }) {
      if (hashedPassword !== undefined) addHash(hashedPassword.value)
      else if (password !== undefined) clearPasswords += 1
      else withoutPassword += 1
      totp.usable += totpDevices.length + (otpCode === undefined ? 0 : 1)
      passkeyCount += passkeys?.credentials.length ?? 0
    },
    addInvalid({ problems, text }) {
      const isAbout = (member: string) => problems.some(({ field }) => field.startsWith(`user.${member}`))
      if (isAbout('hashedPassword')) addHash(writtenHash(text))
      if (isAbout('otpCode') || isAbout('totpDevices')) totp.unusable += 1
    },
    counts: () => ({
      passwordHashes: hashes,
      kinds: [...kinds]
        .map(([kind, { count, milliseconds }]) => ({
          kind,
          count,
          milliseconds: Math.round(milliseconds * 10) / 10,
        }))
        .toSorted((one, other) => other.count - one.count),
      clearPasswords,
      withoutPassword,
      totpSecrets: totp,
      passkeys: passkeyCount,
    }),
  }
}

/** The value of a refused hash in a record, whose members have either spelling; empty when it is no text. */
function writtenHash(text: string): string {
  const { user } = Object(JSON.parse(text)) as { user?: unknown }
  const { hashedPassword, hashed_password: other } = Object(user)
  const { value } = Object(hashedPassword ?? other)
  return typeof value === 'string' ? value : ''
}
