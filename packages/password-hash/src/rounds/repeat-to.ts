/** `bytes` over and over until there are `length` of them. */
export function repeatTo(bytes: Buffer, length: number): Buffer {
  return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, bytes)
}
