/**
 * Starts what is made of parts. When `start` throws, the parts that it has handed to `opened` are closed again, the
 * last one first; otherwise whoever stops the whole disposes of `opened`.
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
