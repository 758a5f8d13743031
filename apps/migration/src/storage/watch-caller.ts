/** Wraps the caller's arguments of a write, to distinguish their errors from those of the storage. */
export function watchCaller(
  bytes: AsyncIterable<Uint8Array>,
  onStarted: ((handle: string) => Promise<void>) | undefined,
) {
  const failures = new Set<unknown>()
  async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* bytes
    } catch (error) {
      failures.add(error)
      throw error
    }
  }
  return {
    bytes: watched(),
    async onStarted(handle: string): Promise<void> {
      try {
        await onStarted?.(handle)
      } catch (error) {
        failures.add(error)
        throw error
      }
    },
    failed: (error: unknown): boolean => failures.has(error),
  }
}
