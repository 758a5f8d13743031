import type { KeyStore } from '../rotation/key-storage.ts'

/** Makes dead everywhere what was made with revoked keys. Repeating it is harmless; rejects when it may not be so yet. */
export type PublishRevocations = (kids: readonly string[]) => Promise<void>

/** As `publish`, and notes that it is done. The next tick repeats a call that failed before the note. */
export function publishAndNote(
  publish: PublishRevocations,
  store: Pick<KeyStore, 'markPublished'>,
): PublishRevocations {
  return async (kids) => {
    if (kids.length === 0) return
    await publish(kids)
    await store.markPublished(kids)
  }
}
