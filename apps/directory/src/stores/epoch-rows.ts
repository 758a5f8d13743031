import type { Epoch } from '../epochs/epoch.ts'

const KINDS = { u: 'user', c: 'client', o: 'organization' } as const

/** An ending as the tables name its kind. */
export interface EpochRow {
  readonly kind: keyof typeof KINDS | 'p'
  readonly id: string
  readonly epoch: number
}

export function toEpoch({ kind, id, epoch }: EpochRow): Epoch {
  if (kind === 'p') {
    const [userId = '', tokenId = ''] = id.split(' ')
    return { kind: 'personal_access_token', id: tokenId, userId, epoch: 1 }
  }
  return { kind: KINDS[kind], id, epoch }
}
