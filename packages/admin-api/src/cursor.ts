import { createHash } from 'node:crypto'

// The cursor of a list: the last key of the part before, with a checksum, so that a damaged one is refused and not
// taken for the end of the list.

const CHECKSUM_BYTES = 6
/** A key of 1,000 characters. */
const FORM = /^[A-Za-z0-9_-]{8,5400}$/

export const CURSOR_RULE = 'must be the nextCursor of the answer before, whole and unchanged'

/** The text that stands for a key, opaque to callers. */
export function encodeCursor(key: string): string {
  return Buffer.concat([checksum(key), Buffer.from(key)]).toString('base64url')
}

/** The key of such a text; undefined for any other text. */
export function decodeCursor(text: string): string | undefined {
  if (!FORM.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const key = bytes.subarray(CHECKSUM_BYTES).toString('utf8')
  // Compared as text: other spellings of the same bytes are damage, too.
  return encodeCursor(key) === text && !key.includes('\0') ? key : undefined
}

function checksum(key: string): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, CHECKSUM_BYTES)
}
