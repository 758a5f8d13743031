import { newIdentifier, type RandomBytes } from '@signet/tokens/identifiers'
import { weekOf } from '../partitions/partition-plan.ts'

/** `<week of its absolute end>-<identifier>`: the first part names the partition, so a look-up touches only one. */
export function newGrantId(absoluteEnd: Date, now: Date, random: RandomBytes): string {
  return `${weekOf(absoluteEnd)}-${newIdentifier(now, random)}`
}

/** The partition of a grant, or undefined when the text cannot be one of our grant ids. */
export function endWeekOf(grantId: string): number | undefined {
  const [, week] = /^(\d{1,6})-[a-z2-7]{26}$/.exec(grantId) ?? []
  return week === undefined ? undefined : Number(week)
}
