import { findHashProblem } from '@signet/password-hash/stored-hash'
import { decodeBase32 } from '@signet/tokens/identifiers'
import { z } from 'zod'
import { birthdate, email, language, name, newUserIdentifier, phoneNumber, timeZone } from './text-fields.ts'
import { httpUrl } from './uri-fields.ts'

/** Instance roles begin with IAM_, organization roles with ORG_. */
export const administratorRole = z
  .string()
  .regex(/^(IAM|ORG)_[A-Z_]+$/, 'must be a role such as IAM_OWNER or ORG_OWNER')

/** RFC 4226 section 4 asks for 128 bits; older generators give 80. */
const LEAST_TOTP_BYTES = 10

const profile = z.strictObject({
  givenName: name,
  familyName: name,
  displayName: name.optional().describe('By default the given and the family name.'),
  nickName: name.optional(),
  preferredLanguage: language.optional(),
  gender: name.optional(),
  birthdate: birthdate.optional(),
  middleName: name.optional(),
  picture: httpUrl.optional(),
  profileUrl: httpUrl.optional(),
  website: httpUrl.optional(),
  zoneinfo: timeZone.optional(),
})

const address = z.strictObject({
  streetAddress: z.string().max(500).optional(),
  locality: name.optional(),
  region: name.optional(),
  postalCode: name.optional(),
  country: name.optional(),
})

export const userSchema = z.strictObject({
  id: newUserIdentifier.optional().describe('Generated when left out.'),
  userName: name,
  profile,
  email: z.strictObject({ address: email, verified: z.boolean().default(false) }).optional(),
  phone: z.strictObject({ number: phoneNumber, verified: z.boolean().default(false) }).optional(),
  address: address.optional(),
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
