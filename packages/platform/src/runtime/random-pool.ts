const POOL_BYTES = 4_096
const LARGEST = 64

/**
 * Random bytes from a supply of 4 KiB: a call of the source costs a busy service ten times what it takes to hand on some
 * of it. No byte is handed out twice. Larger requests go to the source itself.
 */
export function pooledRandom(source: (size: number) => Buffer): (size: number) => Buffer {
  let pool: Buffer = Buffer.alloc(0)
  let used = 0
  return (size) => {
    if (size > LARGEST) return source(size)
    if (used + size > pool.length) {
      pool = source(POOL_BYTES)
      used = 0
    }
    used += size
    return pool.subarray(used - size, used)
  }
}
