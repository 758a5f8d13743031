import { invalidFields } from '@signet/admin-api/json-error-handler'
import { parseDuration } from '@signet/file-formats/export/duration'

const DEFAULT_MS = 600_000
const LEAST_MS = 1_000
const MOST_MS = 86_400_000

/** Milliseconds of the member `timeout` of a call; undefined when it is not a duration from 1 s to 24 h. */
export function callTimeoutMs(timeout: unknown): number | undefined {
  if (timeout === undefined || timeout === null) return DEFAULT_MS
  const milliseconds = typeof timeout === 'string' ? parseDuration(timeout) : undefined
  if (milliseconds === undefined || milliseconds < LEAST_MS || milliseconds > MOST_MS) return undefined
  return Math.round(milliseconds)
}

/** The problem of a call whose timeout is no such duration. */
export const TIMEOUT_PROBLEM = {
  field: 'timeout',
  rule: 'must be a duration from 1s to 24h, such as 10m',
} as const

/** The same, or ApiError INVALID_ARGUMENT. */
export function requireTimeout(timeout: unknown): number {
  const milliseconds = callTimeoutMs(timeout)
  if (milliseconds === undefined) throw invalidFields([TIMEOUT_PROBLEM])
  return milliseconds
}
