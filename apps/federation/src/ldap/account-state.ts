// The state of accounts, from attributes of Active Directory ([MS-ADTS] sections 2.2.16 and 3.1.1.4.5.17) and of 389 Directory Server.
import { Refused, type Rule } from '../conversation/refusal.ts'
import type { DirectoryEntry } from './entry.ts'

const CONTROL = 'userAccountControl'
const COMPUTED = 'msDS-User-Account-Control-Computed'
const EXPIRES = 'accountExpires'
const LOCK = 'nsAccountLock'

export const STATE_ATTRIBUTES = [CONTROL, COMPUTED, EXPIRES, LOCK]

const DISABLED = 0x2
const LOCKED = 0x10
const PASSWORD_EXPIRED = 0x80_00_00

/** Milliseconds from 1601, where the times of Windows begin, to 1970. */
const EPOCH_MS = 11_644_473_600_000
/** Both mean that the account does not expire. */
const NEVER: readonly bigint[] = [0n, 0x7fff_ffff_ffff_ffffn]

/** Throws Refused for an account that may not sign in. The server of a directory refuses it too, but not every one. */
export function requireUsableAccount(entry: DirectoryEntry, now: Date): void {
  const refuse = (rule: Rule) => {
    throw new Refused(rule, { isCredential: true })
  }
  const flags = Number(integerOf(entry, CONTROL)) | Number(integerOf(entry, COMPUTED))
  if ((flags & DISABLED) !== 0 || entry.texts(LOCK).some((value) => value.toLowerCase() === 'true'))
    refuse('account_disabled')
  if ((flags & LOCKED) !== 0) refuse('account_locked')
  if ((flags & PASSWORD_EXPIRED) !== 0) refuse('password_expired')
  const expires = integerOf(entry, EXPIRES)
  // In units of 100 nanoseconds.
  if (!NEVER.includes(expires) && Number(expires / 10_000n) - EPOCH_MS <= now.getTime())
    refuse('account_expired')
}

/** 0 without the attribute. */
function integerOf(entry: DirectoryEntry, attribute: string): bigint {
  const [value = '0', ...others] = entry.texts(attribute)
  if (others.length > 0 || !/^-?\d{1,19}$/.test(value)) {
    // Before the password is sent: an answer of its own would say that there is such a person.
    throw new Refused('answer_malformed', {
      received: attribute,
      expected: 'one integer',
      isCredential: true,
    })
  }
  return BigInt(value)
}

/** The meaning of errors with which Active Directory does not accept a bind ([MS-ERREF] section 2.2). */
const ERRORS: Readonly<Record<string, Rule>> = {
  '532': 'password_expired',
  '533': 'account_disabled',
  '701': 'account_expired',
  '773': 'password_expired',
  '775': 'account_locked',
}

/** The rule by which a server does not accept the bind of a person. */
export const ruleOfBind = (detail: string): Rule => ERRORS[detail] ?? 'password_wrong'
