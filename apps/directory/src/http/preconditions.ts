import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/invalid-fields'
import type { Request } from 'express'

/** RFC 9110 section 13.1.1: the entity tags of which one must still hold; undefined without the header. */
export function ifMatch(req: Request): readonly string[] | undefined {
  const header = req.headers['if-match']
  return header?.split(',').map((tag) => tag.trim())
}

export function requireMatch(tags: readonly string[], current: string): void {
  if (tags.includes('*') || tags.includes(current)) return
  throw new ApiError(
    'FAILED_PRECONDITION',
    'the object has changed since it was read; read it again and repeat the change with its new ETag',
    { reason: 'etag_mismatch', status: 412 },
  )
}

const KEY = /^[\x21-\x7E]{1,200}$/

/** The `Idempotency-Key` header, if there is one. */
export function idempotencyKey(req: Request): string | undefined {
  const key = req.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && KEY.test(key)) return key
  throw invalidFields([
    { field: 'Idempotency-Key', rule: 'must be given once, with 1 to 200 printable ASCII characters' },
  ])
}
