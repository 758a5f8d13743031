/**
 * Distinguishes the signed manifest of an archive from every token (RFC 8725 section 3.11). Its claims, too, are those of
 * no token: it has neither `iss`, `sub`, `aud` nor `exp`.
 */
export const MANIFEST_TYP = 'signet-archive-manifest+jws'

/** List of the archive: how many records, and the SHA-256 of their bytes in hexadecimal. */
export interface ManifestSection {
  readonly count: number
  readonly sha256: string
}

/** An archive as its writer describes it. */
export interface ArchiveDescription {
  /** ISO 8601. */
  readonly createdAt: string
  /** SHA-256 of the document up to the end of `orgs`, in hexadecimal. */
  readonly sha256: string
  readonly sections: Readonly<Record<string, ManifestSection>>
}

/** The claims of a manifest. */
export function manifestClaims(issuer: string, { createdAt, sha256, sections }: ArchiveDescription): object {
  return { format: 'signet-archive-manifest', version: 1, issuer, createdAt, sha256, sections }
}
