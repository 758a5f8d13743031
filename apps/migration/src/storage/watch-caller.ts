/** What the caller of a write gives to it, in a form in which one can tell afterwards whose an error is. */
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
