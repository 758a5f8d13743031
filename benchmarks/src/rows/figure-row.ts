import type { Sizes } from '../sizes.ts'

/** One number that is not a rate of requests. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly budget?: { readonly atMost: number } | { readonly atLeast: number }
  /** How it came about, such as the extremes of several tries. */
  readonly note?: string
}

/** Something that is measured on an installation of its own. */
export interface FigureRow {
  readonly kind: 'figures'
  readonly name: string
  readonly title: string
  measure(sizes: Sizes): Promise<readonly Figure[]>
}
