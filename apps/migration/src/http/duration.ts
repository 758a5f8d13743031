const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy

/** Milliseconds of a Go duration such as `1h30m` or `1.5h`; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, sign = '', parts = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  if (parts === '0') return 0
  let milliseconds = 0
  let end = 0
  for (const [part, number, unit = ''] of parts.matchAll(PART)) {
    milliseconds += Number(number) * (UNITS_MS[unit] ?? 0)
    end += part.length
  }
  if (end === 0 || end !== parts.length) return undefined
  return sign === '-' ? -milliseconds : milliseconds
}
