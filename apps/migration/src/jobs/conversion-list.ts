import type { LeftOutValue } from '@signet/file-formats/sources/left-out'

/** The list of a conversion, as it is kept with the import of the converted document. */
export interface ConversionList {
  readonly entries: readonly LeftOutValue[]
  /** How many more values there were. */
  readonly omitted: number
}
