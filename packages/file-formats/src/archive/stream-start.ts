/** The first bytes of every sealed archive (https://age-encryption.org/v1). */
export const AGE_START = Buffer.from('age-encryption.org/v1\n')

/** Reads at least `leastBytes` of a source, or the whole source if it is shorter. */
export async function readStart(source: AsyncIterator<Uint8Array>, leastBytes: number): Promise<Buffer> {
  let start = Buffer.alloc(0)
  while (start.length < leastBytes) {
    const { done, value } = await source.next()
    if (done) break
    start = Buffer.concat([start, value])
  }
  return start
}

/** Yields the bytes of `readStart`, then the rest of the source. */
export async function* bytesFrom(
  start: Buffer,
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Buffer, void, undefined> {
  if (start.length > 0) yield start
  for (;;) {
    const { done, value } = await source.next()
    if (done) return
    yield Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}
