import { z } from 'zod'

/** The last key of the part before; callers are told nothing about what is in it. */
const cursor = z.codec(
  z.string().regex(/^[A-Za-z0-9_-]{1,1100}$/, 'must be the nextCursor of the answer before'),
  z.string(),
  {
    decode: (text) => Buffer.from(text, 'base64url').toString('utf8'),
    encode: (key) => Buffer.from(key).toString('base64url'),
  },
)

/** What every list takes. */
export const paging = {
  limit: z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(500, 'may be 500 at most')
    .default(100)
    .describe('How many items to answer at most.'),
  cursor: cursor
    .refine((key) => !key.includes('\0'), 'must be the nextCursor of the answer before')
    .optional()
    .describe('The nextCursor of the answer before; without it the list begins.'),
}

/** What every list answers. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item).readonly(),
    nextCursor: cursor.optional().describe('Absent at the end of the list.'),
  })
}
