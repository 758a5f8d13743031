import type { AuditChain } from '@signet/tokens/audit-head'

/** Microseconds since 1970. */
type Microseconds = number

/** A row that a segment lists. */
export interface SealedRow {
  readonly id: string
  readonly at: Microseconds
  /** SHA-256 of its content when it was sealed, in hexadecimal. */
  readonly hash: string
  /** The canonical text of the row as it is now; absent for a row that is gone. */
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

/** Where a reader of a chain goes on: after which segment, and from which time it has not looked for added rows. */
export interface ChainPosition {
  readonly after: number
  readonly from: Microseconds
}

export interface ChainPage {
  readonly segments: readonly AuditSegment[]
  /** Rows of the time of these segments that no segment lists and that do not wait to be sealed. */
  readonly added: readonly { readonly id: string; readonly at: Microseconds }[]
  /** Absent after the last segment. */
  readonly next?: ChainPosition | undefined
}

export interface AuditChainReader {
  /** The logs that may be read: the services start in any order, and each publishes its own with its migrations. */
  chains(): Promise<readonly AuditChain[]>
  /** The newest signed head; undefined while there is none. */
  head(chain: AuditChain): Promise<string | undefined>
  /** How many committed rows wait to be sealed. */
  unsealed(chain: AuditChain): Promise<number>
  /**
   * The next segments after a number with their rows as they are now, in the order of their numbers, without those whose
   * retention has ended.
   */
  segmentsWithRows(chain: AuditChain, after: number): Promise<readonly AuditSegment[]>
  /** The next segments, those whose retention has ended too, and the rows of their time that no segment lists. */
  page(chain: AuditChain, position: ChainPosition): Promise<ChainPage>
}
