import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { MANIFEST_TYP } from '@signet/tokens/archive-manifest'
import { createJwsVerifier } from '@signet/tokens/keys/verify-jws'
import { z } from 'zod'
import type { Section, Sections } from './section-reader.ts'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

/** The claims of the signed list of sections that ends an archive. */
const archiveManifest = z.object({
  format: z.literal('signet-archive-manifest'),
  version: z.literal(1),
  issuer: z.string(),
  createdAt: z.string(),
  /** SHA-256 of the document up to the end of `orgs`. */
  sha256,
  sections: z.record(z.string(), z.object({ count: z.int().min(0), sha256 })),
})
export type ArchiveManifest = z.output<typeof archiveManifest>

/** The members of `meta` that the manifest covers. Members of later versions are left out. */
const documentMeta = z.object({
  format: z.literal('signet-export'),
  version: z.literal(1),
  createdAt: z.string(),
  issuer: z.string(),
  counts: z.record(z.string(), z.int().min(0)),
  sha256,
  manifest: z.string().optional(),
})
export type SignedMeta = z.output<typeof documentMeta>

const keySet = z.object({
  keys: z.array(z.looseObject({ kid: z.string().optional(), alg: z.string().optional() })),
})
export type KeySet = z.output<typeof keySet>

/** The `meta` of a document; undefined for one that is damaged or of another format. */
export function readMeta(bytes: Buffer): SignedMeta | undefined {
  return documentMeta.safeParse(jsonOf(bytes.toString('utf8'))).data
}

/** A JSON Web Key Set (RFC 7517 section 5); undefined for another text. */
export function readKeySet(text: string): KeySet | undefined {
  return keySet.safeParse(jsonOf(text)).data
}

export type SignatureCheck<Claims> =
  | { readonly outcome: 'verified'; readonly claims: Claims; readonly kid: string }
  | { readonly outcome: 'key_unknown'; readonly kid: string }
  | { readonly outcome: 'invalid' }

/** Verifies a JWS of this `typ` with a key of the set, and the form of its claims. */
export async function verifySigned<Claims>(
  jws: string,
  { keys }: KeySet,
  { typ, schema }: { readonly typ: string; readonly schema: z.ZodType<Claims> },
): Promise<SignatureCheck<Claims>> {
  const kid = kidOf(jws)
  const jwk = keys.find((key) => kid !== undefined && key.kid === kid)
  if (kid !== undefined && jwk === undefined) return { outcome: 'key_unknown', kid }
  const verify = createJwsVerifier({
    find: async (_, alg) =>
      jwk?.alg === alg ? createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }) : undefined,
  })
  const verified = await verify(jws, typ)
  const parsed = schema.safeParse(verified?.claims)
  if (verified === undefined || !parsed.success) return { outcome: 'invalid' }
  return { outcome: 'verified', claims: parsed.data, kid: verified.kid }
}

/** Verifies the signature of a manifest with a key of the set, and its form. */
export function verifyManifest(jws: string, keySet: KeySet): Promise<SignatureCheck<ArchiveManifest>> {
  return verifySigned(jws, keySet, { typ: MANIFEST_TYP, schema: archiveManifest })
}

/** The parts of an archive that are not as the manifest says: names of sections, `meta`, `document` for what is between them. */
export function changedParts(
  manifest: ArchiveManifest,
  read: { readonly sections: Sections; readonly sha256: string; readonly meta: SignedMeta },
): readonly string[] {
  const { sections, meta } = read
  const names = new Set([...Object.keys(manifest.sections), ...Object.keys(sections)])
  const changed = [...names].filter((name) => !isSame(manifest.sections[name], sections[name]))
  const { issuer, createdAt, sha256 } = manifest
  const isMeta =
    meta.issuer === issuer &&
    meta.createdAt === createdAt &&
    meta.sha256 === sha256 &&
    Object.entries(manifest.sections).every(([name, { count }]) => meta.counts[name] === count)
  if (changed.length === 0 && read.sha256 !== sha256) changed.push('document')
  return isMeta ? changed : [...changed, 'meta']
}

const isSame = (one: Section | undefined, other: Section | undefined): boolean =>
  one !== undefined && other !== undefined && one.count === other.count && one.sha256 === other.sha256

function kidOf(jws: string): string | undefined {
  const header = jsonOf(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString('utf8'))
  return z.object({ kid: z.string() }).safeParse(header).data?.kid
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
