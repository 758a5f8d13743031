import type { AuditChain } from '@signet/tokens/audit-head'

/** Microseconds since 1970. */
type Microseconds = number

/** A row of a segment. */
export interface SealedRow {
  readonly id: string
  readonly at: Microseconds
  /** SHA-256 of its content when it was sealed, in hexadecimal. */
  readonly hash: string
  /** The current canonical text of the row; absent for a deleted row. */
  readonly content?: string | undefined
}

/** A segment of the chain of an audit log (docs/reference/audit-log.md); hashes in hexadecimal. */
export interface AuditSegment {
  readonly number: number
  readonly sealedAt: Microseconds
  readonly rowCount: number
  readonly firstAt: Microseconds
  readonly lastAt: Microseconds
  readonly rowsHash: string
  readonly previous: string
  readonly hash: string
  /** Absent when the retention of all its rows has ended. */
  readonly rows?: readonly SealedRow[] | undefined
}

/** The position of a reader: the last segment it has read, and the time from which it still has to look for added rows. */
export interface ChainPosition {
  readonly after: number
  readonly from: Microseconds
}

export interface ChainPage {
  readonly segments: readonly AuditSegment[]
  /** Rows of the period of these segments that are in no segment and do not wait to be sealed. */
  readonly added: readonly { readonly id: string; readonly at: Microseconds }[]
  /** Absent after the last segment. */
  readonly next?: ChainPosition | undefined
}

export interface AuditChainReader {
  /** The logs that are readable now. Each service publishes its log with its migrations, and the services start in any order. */
  chains(): Promise<readonly AuditChain[]>
  /** The newest signed head; undefined while there is none. */
  head(chain: AuditChain): Promise<string | undefined>
  /** The number of committed rows that wait to be sealed. */
  unsealed(chain: AuditChain): Promise<number>
  /**
   * The next segments after a number, in ascending order, with their current rows. Leaves out segments whose retention has
   * ended.
   */
  segmentsWithRows(chain: AuditChain, after: number): Promise<readonly AuditSegment[]>
  /** The next segments, also those whose retention has ended, and the rows of their period that are in no segment. */
  page(chain: AuditChain, position: ChainPosition): Promise<ChainPage>
}
