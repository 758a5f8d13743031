/** The same bytes in parts of exactly `partBytes`, but for the last, which is never empty unless it is the only one. */
export async function* fixedParts(
  bytes: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let pieces: Uint8Array[] = []
  let length = 0
  let parts = 0
  for await (const chunk of bytes) {
    let rest = chunk
    while (length + rest.length > partBytes) {
      const taken = partBytes - length
      yield Buffer.concat([...pieces, rest.subarray(0, taken)])
      parts += 1
      rest = rest.subarray(taken)
      pieces = []
      length = 0
    }
    // A copy: the producer may reuse the buffer.
    pieces.push(Uint8Array.from(rest))
    length += rest.length
  }
  if (length > 0 || parts === 0) yield Buffer.concat(pieces)
}

/** `first`, then the others. */
export async function* prepended(
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  yield first
  yield* rest
}
