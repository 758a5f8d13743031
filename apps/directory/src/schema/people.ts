import {
  identifier,
  newIdentifier,
  newUserIdentifier,
} from '@signet/file-formats/export/record-schemas/fields'
import { findHashProblem } from '@signet/password-hash/stored-hash'
import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import { readPublicJwk, readPublicPem } from '@signet/protocol/public-key'
import { decodeBase32 } from '@signet/tokens/identifiers'
import { z } from 'zod'
import { fileSchemas } from './field-schemas.ts'
import { email, moment, name, phoneNumber, userName } from './fields.ts'
import { declaredIssuerTrusts } from './issuer-trust.ts'

/** A registered public key, read from a JWK or a PEM text. */
export const registeredKey = z
  .strictObject({
    id: identifier.describe('The kid that assertions name.'),
    publicKeyJwk: z.record(z.string(), z.unknown()).optional(),
    publicKeyPem: z.string().optional(),
  })
  .transform(({ id, publicKeyJwk, publicKeyPem }, context) => {
    const read = readPublicKey(publicKeyJwk, publicKeyPem)
    if ('jwk' in read) return { id, jwk: read.jwk }
    context.addIssue({ code: 'custom', message: read.problem })
    return z.NEVER
  })

/** A public key to register, or what is wrong with it. */
export function readPublicKey(
  jwk: Readonly<Record<string, unknown>> | undefined,
  pem: string | undefined,
): ReturnType<typeof readPublicJwk> {
  if ((jwk === undefined) === (pem === undefined))
    return { problem: 'needs either publicKeyJwk or publicKeyPem' }
  if (jwk !== undefined) return readPublicJwk(jwk)
  if (pem?.includes('PRIVATE KEY')) return { problem: 'is a private key; register its public half only' }
  return readPublicPem(pem ?? '')
}

/** The members of a profile in the order of the API. */
export function profileOrder<const Shape extends Readonly<Record<keyof typeof PROFILE_FIELDS, unknown>>>({
  givenName,
  familyName,
  displayName,
  nickName,
  preferredLanguage,
  gender,
  birthdate,
  ...more
}: Shape) {
  return {
    givenName,
    familyName,
    displayName,
    nickName,
    preferredLanguage,
    gender,
    birthdate,
    ...more,
  } as Shape
}

/** The profile of a new person. */
export const newProfile = z.strictObject(
  profileOrder({
    ...fileSchemas(PROFILE_FIELDS),
    givenName: name,
    familyName: name,
    displayName: name.optional().describe('By default the given and the family name.'),
  }),
)

export const newAddress = z.strictObject(fileSchemas(ADDRESS_FIELDS))

/** Instance roles begin with IAM_, organization roles with ORG_. */
const administratorRole = z
  .string()
  .regex(/^(IAM|ORG)_[A-Z_]+$/, 'must be a role such as IAM_OWNER or ORG_OWNER')

/** RFC 4226 section 4 asks for 128 bits; older generators give 80. */
const LEAST_TOTP_BYTES = 10

export const userSchema = z.strictObject({
  id: newUserIdentifier.optional().describe('Generated when left out.'),
  userName,
  profile: newProfile,
  email: z.strictObject({ address: email, verified: z.boolean().default(false) }).optional(),
  phone: z.strictObject({ number: phoneNumber, verified: z.boolean().default(false) }).optional(),
  address: newAddress.optional(),
  password: z.string().optional(),
  passwordHash: z.string().superRefine(usableHash).optional(),
  passwordChangeRequired: z
    .boolean()
    .optional()
    .describe('The person has to choose another password at the next sign-in.'),
  totpSecret: z
    .string()
    .refine((value) => (decodeBase32(value)?.length ?? 0) >= LEAST_TOTP_BYTES, {
      error: 'must be base32 of 10 bytes or more',
    })
    .optional(),
  state: z.enum(['active', 'inactive', 'locked']).optional(),
  metadata: z.record(z.string().min(1).max(200), z.string().min(1)).optional(),
  roles: z.array(administratorRole).optional(),
})

function usableHash(hash: string, context: z.RefinementCtx): void {
  const message = findHashProblem(hash)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
}

/** Checked after expansion: the file may hold a shorter reference to the secret. */
export const clientSecret = z
  .string()
  .refine((secret) => secret.length >= 16, 'must have 16 characters or more')

const personalAccessToken = z
  .strictObject({
    id: identifier,
    token: z
      .string()
      .refine((token) => token.length >= 32, 'must have 32 characters or more')
      .optional(),
    outputFile: z.string().min(1).optional().describe('Where a generated token is written, mode 0600.'),
    expiresAt: moment.optional(),
  })
  .refine(({ token, outputFile }) => token !== undefined || outputFile !== undefined, {
    error: 'needs token, or outputFile for a generated one',
  })

export const serviceUserSchema = z.strictObject({
  id: newUserIdentifier.optional().describe('Generated when left out.'),
  userName,
  name: name.optional().describe('By default the user name.'),
  ...fileSchemas(SERVICE_USER_FIELDS),
  clientId: newIdentifier.optional().describe('By default the user name.'),
  roles: z.array(administratorRole).optional(),
  clientSecret: clientSecret.optional(),
  personalAccessTokens: z.array(personalAccessToken).optional(),
  keys: z.array(registeredKey).optional(),
  trustedIssuers: declaredIssuerTrusts,
})
