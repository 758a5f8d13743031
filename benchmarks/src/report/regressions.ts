import { number } from './format.ts'
import type { Result } from './results.ts'

/** Ratios vary by a tenth from run to run, and more on a machine with other work. */
const WORST_SHARE = 2 / 3

/**
 * The results that fell below the committed figures by more than a third, one line each. Only ratios are
 * compared.
 */
export function regressionsIn(results: readonly Result[], committed: readonly Result[]): readonly string[] {
  return results.flatMap((result) => {
    const before = committed.find(({ name }) => name === result.name)
    if (result.kind !== 'load' || before?.kind !== 'load') return []
    return result.ratios.flatMap(({ of, throughput: { median } }) => {
      const then = before.ratios.find((ratio) => ratio.of === of)?.throughput.median
      if (then === undefined || median >= then * WORST_SHARE) return []
      return [`${result.name}: ${number(median)} of the ${of}, it was ${number(then)}`]
    })
  })
}
