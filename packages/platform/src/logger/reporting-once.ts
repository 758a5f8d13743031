/** A round that never rejects: the first failure of a row of failures is reported, and its end. */
export function reportingOnce(
  round: () => Promise<void>,
  onProblem: (error: unknown) => void,
  onRecovery: () => void,
): () => Promise<void> {
  let failing = false
  return async () => {
    try {
      await round()
      if (failing) onRecovery()
      failing = false
    } catch (error) {
      if (!failing) onProblem(error)
      failing = true
    }
  }
}
