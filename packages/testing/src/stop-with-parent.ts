/** The command that runs the tests holds an IPC channel to this process; when it closes the run is over. */
export function stopWithParent(teardown: () => Promise<void>): void {
  if (!process.connected) return
  process.once('disconnect', () => {
    void teardown().finally(() => process.exit(1))
  })
  process.channel?.unref()
}
