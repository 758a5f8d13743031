/**
 * Starts an object made of parts. When `start` throws, the parts that were added to `opened` are closed again, the
 * last one first; otherwise the owner disposes of `opened`.
 */
export async function startOrClose<T>(start: (opened: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const opened = new AsyncDisposableStack()
  try {
    return await start(opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
