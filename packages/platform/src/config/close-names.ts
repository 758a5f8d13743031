/** Whether at most two letters were left out, added or changed: near enough to be a slip of the fingers. */
export function isCloseTo(intended: string, written: string): boolean {
  let previous = Array.from({ length: written.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...intended].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...written].entries()) {
      const changed = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(changed, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return (previous.at(-1) ?? 0) <= 2
}
