import { createHash } from 'node:crypto'

/** The name space of the ids that conversions make; a random UUID, fixed for ever. */
const NAME_SPACE = Buffer.from('7c1d1d0a5b5f4e0f9d0a3f6c0f5b9e21', 'hex')

/**
 * Returns a UUID of version 5 (RFC 9562 section 5.5) for the names of a record at its source. The same names give the same id,
 * so a repeated conversion finds the record again.
 */
export function stableId(...names: readonly string[]): string {
  const bytes = createHash('sha1').update(NAME_SPACE).update(JSON.stringify(names)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
