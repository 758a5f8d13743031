const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30m`, `8h` or `2d` in milliseconds; undefined for everything else. */
export function durationMs(text: string): number | undefined {
  const [, amount, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit]
  return amount === undefined || unitMs === undefined ? undefined : Number(amount) * unitMs
}
