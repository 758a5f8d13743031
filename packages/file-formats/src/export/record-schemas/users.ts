import { findHashProblem } from '@signet/password-hash/stored-hash'
import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import { preparedUserName, userNameProblem } from '@signet/protocol/user-name'
import { z } from 'zod'
import { exportedFields } from './field-schemas.ts'
import {
  base64Value,
  creationDate,
  enumeration,
  expirationDate,
  flag,
  identifier,
  issuerTrust,
  moment,
  name,
  newIdentifier,
  newUserIdentifier,
  publicKey,
  userIdentifier,
  valueText,
} from './fields.ts'

const state = enumeration([
  'USER_STATE_UNSPECIFIED',
  'USER_STATE_ACTIVE',
  'USER_STATE_INACTIVE',
  'USER_STATE_DELETED',
  'USER_STATE_LOCKED',
  'USER_STATE_SUSPEND',
  'USER_STATE_INITIAL',
])

const text = valueText.optional()

/** Base32 (RFC 4648 section 6) of 80 bits or more, in upper or lower case, with spaces and padding. */
const otpCode = z
  .string()
  .regex(/^(?=(?:[\s=]*[A-Za-z2-7]){16})[A-Za-z2-7\s=]{16,512}$/, 'must be base32 of 10 bytes or more')

/** An authenticator (RFC 6238) whose parameters are not SHA-1, 6 digits and 30 seconds, or that is not the only one. */
const totpDevice = z.object({
  name: text,
  secret: otpCode,
  algorithm: z.enum(['SHA1', 'SHA256', 'SHA512']).optional(),
  digits: z.int().min(6, 'must be 6, 7 or 8').max(8, 'must be 6, 7 or 8').optional(),
  period: z.int().min(15, 'must be 15 to 300 seconds').max(300, 'must be 15 to 300 seconds').optional(),
})

/** A limit, since each device raises the probability that a guessed code matches. */
const MOST_TOTP_DEVICES = 5

/** The limit for passkeys that a person adds. */
const MOST_PASSKEYS = 20

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/, 'must be base64url without padding')

/** A passkey (WebAuthn Level 3). It works only if its RP ID is that of the instance. */
const passkey = z.object({
  passkeyId: newIdentifier,
  rpId: z.string().min(1, 'must not be empty').max(253, 'may have at most 253 characters'),
  credentialId: base64url
    .min(22, 'must stand for 16 to 1023 bytes')
    .max(1_364, 'must stand for 16 to 1023 bytes'),
  /** COSE_Key (RFC 9052). */
  publicKey: base64url.min(2, 'must not be empty').max(4_000, 'may have at most 4000 characters'),
  counter: z.int().min(0).max(4_294_967_295),
  transports: z
    .array(z.string().regex(/^[a-z-]{1,20}$/, 'must be lower case letters and hyphens'))
    .max(10, 'may have at most 10 transports'),
  aaguid: z.guid('must be a UUID'),
  name: z.string().min(1, 'must not be empty').max(100, 'may have at most 100 characters'),
  backupEligible: flag,
  backedUp: flag,
  creationDate: moment,
  lastUseDate: moment.optional(),
  /** The time at which its counter went back; it can no longer sign in. */
  clonedDate: moment.optional(),
})

const passkeys = z.object({
  /** The random user handle of WebAuthn section 5.4.3, which the authenticators store. */
  handle: base64url.length(43, 'must stand for 32 bytes'),
  credentials: z
    .array(passkey)
    .min(1, 'must have a passkey')
    .max(MOST_PASSKEYS, `may have at most ${MOST_PASSKEYS} passkeys`),
})

const passwordHash = z.string().superRefine((hash, context) => {
  const problem = findHashProblem(hash)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})

/** SHA-256 of a random secret, or the slow hash of a secret that a person chose. */
export const secretHash = z.string().superRefine((hash, context) => {
  if (/^sha256\$[A-Za-z0-9_-]{43}$/.test(hash)) return
  const problem = findHashProblem(hash)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})

/** The members of a profile with `genderText`, a gender that the format has no name for, behind `gender`. */
export function withGenderText<Members extends Readonly<Record<string, unknown>>, Value>(
  members: Members,
  genderText: Value,
): Members & { readonly genderText: Value } {
  const entries = Object.entries(members).flatMap((member) =>
    member[0] === 'gender' ? [member, ['genderText', genderText]] : [member],
  )
  return Object.fromEntries(entries) as Members & { readonly genderText: Value }
}

const profile = z.object(withGenderText(exportedFields(PROFILE_FIELDS), text))

const address = z.object(exportedFields(ADDRESS_FIELDS))

const email = z.object({
  email: valueText,
  isEmailVerified: flag,
})

const phone = z.object({
  phone: valueText,
  isPhoneVerified: flag,
})

/** Uninterpreted members are exported as they were imported. */
const carried = z.unknown().optional()

const userName = name.superRefine((text, context) => {
  // An empty one has broken the rule of names already.
  const message = text === '' ? undefined : userNameProblem(preparedUserName(text))
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

export const humanUser = z.object({
  userId: newUserIdentifier,
  user: z.object({
    userName: userName.optional(),
    profile: profile.optional(),
    email: email.optional(),
    phone: phone.optional(),
    address: address.optional(),
    password: z.string().max(1_000).optional(),
    hashedPassword: z.object({ value: passwordHash, algorithm: carried }).optional(),
    passwordChangeRequired: flag,
    requestPasswordlessRegistration: flag,
    otpCode: otpCode.optional(),
    totpDevices: z
      .array(totpDevice)
      .max(MOST_TOTP_DEVICES, `may have at most ${MOST_TOTP_DEVICES} devices`)
      .optional(),
    passkeys: passkeys.optional(),
    idps: carried,
    recoveryCodes: carried,
  }),
  state: state.optional(),
  creationDate,
  changeDate: moment.optional(),
})

export const storedSecret = z.object({
  hash: secretHash,
  expirationDate: moment.optional(),
})

const { accessTokenType, accessTokenSigningAlg, clientId, ...settings } = exportedFields(SERVICE_USER_FIELDS)

export const machineUser = z.object({
  userId: newUserIdentifier,
  user: z.object({
    // Ignored, because the id is a member beside the user.
    userId: carried,
    userName,
    name: text,
    description: z.string().max(500, 'may have at most 500 characters').optional(),
    accessTokenType,
  }),
  accessTokenSigningAlg,
  clientId,
  ...settings,
  clientSecretHash: secretHash.optional(),
  clientSecretHashes: z.array(storedSecret).max(20).optional(),
  state: state.optional(),
  creationDate,
  changeDate: moment.optional(),
})

export const userMetadata = z.object({
  id: userIdentifier,
  key: name,
  value: base64Value,
})

export const machineKey = z.object({
  keyId: identifier,
  userId: userIdentifier,
  type: z.unknown().optional(),
  expirationDate,
  publicKey,
  creationDate,
})

export const machineTrustedIssuer = z.object({
  userId: userIdentifier,
  id: identifier,
  ...issuerTrust,
  creationDate,
})
