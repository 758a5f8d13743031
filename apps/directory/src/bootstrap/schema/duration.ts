import { z } from 'zod'

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 }

/** `1h`, `30m`, `1h30m` or `90s` as whole seconds from `least` to `most`; both are also given that way. */
export function duration(least: string, most: string) {
  return z.string().transform((value, context) => {
    const seconds = durationSeconds(value)
    const within = seconds >= durationSeconds(least) && seconds <= durationSeconds(most)
    if (within) return seconds
    const problem = Number.isNaN(seconds)
      ? 'must be a duration such as 1h, 30m or 90s'
      : `must be from ${least} to ${most}`
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  })
}

function durationSeconds(value: string): number {
  if (!/^(\d{1,9}h)?(\d{1,9}m)?(\d{1,9}s)?$/.test(value) || value === '') return Number.NaN
  const parts = [...value.matchAll(/(\d+)([hms])/g)]
  return parts.reduce(
    (total, [, amount, unit]) => total + Number(amount) * (UNIT_SECONDS[unit ?? ''] ?? 0),
    0,
  )
}
