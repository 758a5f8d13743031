/** Distinguishes a signed head of an audit log from every token (RFC 8725 section 3.11). It has no claim of a token. */
export const AUDIT_HEAD_TYP = 'signet-audit-head+jws'

/** The audit logs, by the schemas of their services. */
export const AUDIT_CHAINS = ['directory', 'grants', 'keys', 'migration'] as const
export type AuditChain = (typeof AUDIT_CHAINS)[number]

/** The newest segment of an audit log at a time. */
export interface AuditHead {
  readonly chain: AuditChain
  /** The number of the segment; 0 while there is none. */
  readonly number: number
  /** SHA-256 of the segment in hexadecimal; 64 zeros without a segment. */
  readonly hash: string
  /** ISO 8601: until then the log had no later segment. */
  readonly signedAt: string
}

/** The claims of a signed head. */
export function auditHeadClaims(issuer: string, { chain, number, hash, signedAt }: AuditHead): object {
  return { format: 'signet-audit-head', version: 1, issuer, chain, number, hash, signedAt }
}
