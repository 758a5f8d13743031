import type { AppliedBatch } from '../jobs/staged-batch.ts'

// Records of a batch that are not imported, by their positions.

/** The records of a batch but those at some positions. */
export function without(positions: readonly number[], records: Buffer): Buffer {
  if (positions.length === 0) return records
  const leftOut = new Set(positions)
  const all = JSON.parse(records.toString('utf8')) as readonly unknown[]
  return Buffer.from(JSON.stringify(all.filter((_, at) => !leftOut.has(at))))
}

/** Outcomes and failures by the positions in the whole batch; `x` stands for a record that is left out. */
export function withLeftOut(
  positions: readonly number[],
  { outcomes, failures, notes, plan }: Omit<AppliedBatch, 'batch'>,
): Omit<AppliedBatch, 'batch'> {
  if (positions.length === 0) return { outcomes, failures, notes, ...(plan && { plan }) }
  const leftOut = new Set(positions)
  const kept = Array.from({ length: outcomes.length + positions.length }, (_, at) => at).filter(
    (at) => !leftOut.has(at),
  )
  const letters = new Array<string>(outcomes.length + positions.length).fill('x')
  for (const [index, at] of kept.entries()) letters[at] = outcomes[index] ?? 'x'
  const moved = <T extends { readonly index: number }>(entries: readonly T[]) =>
    entries.map((entry) => ({ ...entry, index: kept[entry.index] ?? entry.index }))
  return {
    outcomes: letters.join(''),
    failures: moved(failures),
    notes,
    ...(plan && { plan: { ...plan, changes: moved(plan.changes) } }),
  }
}
