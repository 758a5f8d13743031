/** A part of a list that is ordered by id. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the next part begins; absent at the end of the list. */
  readonly nextCursor?: string | undefined
}

export interface PageRequest {
  /** The last id of the part before. */
  readonly cursor?: string | undefined
  readonly limit: number
}
