import { identifier } from '@signet/file-formats/export/record-schemas/fields'
import { readPublicJwk } from '@signet/protocol/public-key'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { z } from 'zod'

const MOST_KEYS = 20

/** A JSON Web Key Set whose keys all verify signatures; it is stored as it came, without other members. */
const keySet = z
  .strictObject({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(MOST_KEYS) })
  .superRefine(({ keys }, context) => {
    for (const [index, jwk] of keys.entries()) {
      const read = readPublicJwk(jwk)
      if ('problem' in read)
        context.addIssue({ code: 'custom', path: ['keys', index], message: read.problem })
      else if (keys.length > 1 && typeof jwk.kid !== 'string')
        context.addIssue({
          code: 'custom',
          path: ['keys', index, 'kid'],
          message: 'is required for each of several keys',
        })
    }
  })

/** The members of a trusted issuer that a request changes. */
export const issuerTrustChanges = {
  issuer: z.string().min(1).max(500).describe('The `iss` of assertions, character by character.'),
  subject: z
    .string()
    .min(1)
    .max(500)
    .describe(
      'The `sub` of assertions. One that ends in `*` is the beginning of it, and needs a claim beside it.',
    ),
  claims: z
    .record(
      z.string().regex(/^[\x21-\x7e]{1,100}$/, 'must have 1 to 100 printable characters'),
      z.string().max(500),
    )
    .refine((claims) => Object.keys(claims).length <= 10, 'may have 10 members at most')
    .describe('Further claims that assertions must have, with their values.'),
  keySet: keySet
    .nullable()
    .describe(
      'The keys of an issuer that Signet cannot reach (RFC 7517 section 5). Null: they are read by discovery.',
    ),
}

/** The members that declare a trusted issuer in the management API and the bootstrap file. */
export const issuerTrustMembers = {
  ...issuerTrustChanges,
  claims: issuerTrustChanges.claims.default({}),
  keySet: issuerTrustChanges.keySet.default(null),
}

export interface DeclaredTrust {
  readonly issuer: string
  readonly subject: string
  readonly claims: Readonly<Record<string, string>>
  readonly keySet: Readonly<Record<string, unknown>> | null
}

/** Adds the rules between members. */
export function checkIssuerTrust(
  { issuer, subject, claims, keySet }: DeclaredTrust,
  context: z.RefinementCtx,
): void {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message })
  if (subject.slice(0, -1).includes('*')) refuse('subject', 'may have a * at its end only')
  else if (subject.endsWith('*') && Object.keys(claims).length === 0)
    refuse('subject', 'may end in * only where claims names another claim')
  if (keySet === null && !isReachable(issuer))
    refuse('issuer', 'must be an https URL without query and fragment, or come with its keySet')
}

const whole = z.object(issuerTrustMembers).superRefine(checkIssuerTrust)

/** The rules that a trust breaks, by field. */
export function issuerTrustProblems(
  trust: object,
): readonly { readonly field: string; readonly rule: string }[] {
  const issues = whole.safeParse(trust).error?.issues ?? []
  return issues.map(({ path, message }) => ({ field: path.join('.'), rule: message }))
}

/** Whether discovery can begin at an issuer (OpenID Connect Discovery 1.0 section 4.1). */
function isReachable(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false
  const { protocol, hostname, search, hash, username } = new URL(issuer)
  if (search !== '' || hash !== '' || username !== '' || /[?#]/.test(issuer)) return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

/** Number of issuers that one service user or application may trust. */
export const MOST_TRUSTS = 20

/** The trusted issuers of a service user or an application in the bootstrap file. */
export const declaredIssuerTrusts = z
  .array(z.strictObject({ id: identifier, ...issuerTrustMembers }).superRefine(checkIssuerTrust))
  .max(MOST_TRUSTS)
  .optional()
