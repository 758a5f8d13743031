import type { Epoch } from '../epochs/epoch.ts'

const KINDS = { u: 'user', c: 'client', o: 'organization' } as const

/** An epoch as the tables name its kind. */
export interface EpochRow {
  readonly kind: keyof typeof KINDS
  readonly id: string
  readonly epoch: number
}

export function toEpoch({ kind, id, epoch }: EpochRow): Epoch {
  return { kind: KINDS[kind], id, epoch }
}
