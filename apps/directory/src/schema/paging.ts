import { CURSOR_RULE, decodeCursor, encodeCursor } from '@signet/admin-api/cursor'
import { z } from 'zod'

/** A part of a list that is ordered by id. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Cursor of the next part; absent at the end of the list. */
  readonly nextCursor?: string | undefined
}

export interface PageRequest {
  /** The last id of the part before. */
  readonly cursor?: string | undefined
  readonly limit: number
}

/** The last key of the previous page; opaque to callers. */
const cursor = z.codec(z.string(), z.string(), {
  decode(text, context) {
    const key = decodeCursor(text)
    if (key !== undefined) return key
    context.issues.push({ code: 'custom', message: CURSOR_RULE, input: text })
    return z.NEVER
  },
  encode: encodeCursor,
})

/** The query parameters of all lists. */
export const paging = {
  limit: z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(500, 'may be 500 at most')
    .default(100)
    .describe('How many items to answer at most.'),
  cursor: cursor.optional().describe('The nextCursor of the answer before; without it the list begins.'),
}

/** The response of all lists. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item).readonly(),
    nextCursor: cursor.optional().describe('Absent at the end of the list.'),
  })
}
