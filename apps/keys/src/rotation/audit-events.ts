import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { KeyLife, KeyState } from './key-life.ts'

const ACTIONS: Readonly<Record<KeyState, string>> = {
  announced: 'key.announce',
  active: 'key.activate',
  retired: 'key.retire',
  removed: 'key.remove',
  'verify-only': 'key.withdraw',
}

/** The actor of a change of keys, in every event of it. */
export type AuditAuthor = Pick<AuditEvent, 'actor' | 'clientAddress' | 'details'>

interface Changes {
  readonly before: readonly KeyLife[]
  readonly create: readonly KeyLife[]
  readonly change: readonly KeyLife[]
  readonly forget: readonly string[]
}

/** One event for each key that a change concerns. */
export function keyEvents(
  { before, create, change, forget }: Changes,
  { actor, clientAddress, details }: AuditAuthor,
): readonly AuditEvent[] {
  const event = ({ kid, ring, algorithm }: KeyLife, action: string, dates = {}): AuditEvent => ({
    actor,
    action,
    target: { kind: 'key', id: kid },
    clientAddress,
    result: 'success',
    details: { ...details, ring, algorithm, ...dates },
  })
  const known = new Map(before.map((key) => [key.kid, key]))
  return [
    ...create.map((key) => event(key, ACTIONS[key.state], { active_at: key.activeAt.toISOString() })),
    ...change.map((key) =>
      event(key, actionOf(known.get(key.kid), key), { retire_at: key.retireAt.toISOString() }),
    ),
    ...before.filter(({ kid }) => forget.includes(kid)).map((key) => event(key, 'key.forget')),
  ]
}

function actionOf(before: KeyLife | undefined, after: KeyLife): string {
  if (before?.state === after.state) return 'key.reschedule'
  return after.revokedAt === undefined ? ACTIONS[after.state] : 'key.revoke'
}
