import type { Ratio } from '../measure/measure-load.ts'
import type { Spread } from '../measure/spread.ts'
import type { Figure } from '../rows/row.ts'

/** `12,345` above a thousand, else as many digits as tell something. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toPrecision(value < 0.1 ? 2 : 3)
}

export const MISSED = '**misses**'
export const verdict = (holds: boolean): string => (holds ? 'holds' : MISSED)

export function spread({ median, least, most }: Spread): string {
  return `${number(median)} (${number(least)}–${number(most)})`
}

/** `0.61 (0.58–0.64) ≥ 0.55 ✓` */
export function ratio({ throughput, atLeast }: Ratio): string {
  if (atLeast === undefined) return spread(throughput)
  return `${spread(throughput)}, budget ${atLeast}: ${verdict(throughput.median >= atLeast)}`
}

export function budget({ value, budget: limit }: Figure): string {
  if (limit === undefined) return ''
  const [text, holds] =
    'atMost' in limit
      ? [`at most ${number(limit.atMost)}`, value <= limit.atMost]
      : [`at least ${number(limit.atLeast)}`, value >= limit.atLeast]
  return `${text}: ${verdict(holds)}`
}
