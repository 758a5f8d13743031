import { datesOf, type KeyLife, later, type PlannedKey } from './key-life.ts'
import { hasPublicHalf, type KeyAlgorithm, RINGS, type Ring } from './rings.ts'
import type { RotationPolicy } from './rotation-policy.ts'

/** What has to be written so that the rings are as the policy wants them at one moment. */
export interface RotationPlan {
  /** Keys to make. */
  readonly create: readonly PlannedKey[]
  /** Known keys with a new state or new dates, as they shall be; a key leaves a state before its heir enters it. */
  readonly change: readonly KeyLife[]
  /** Ids of keys whose record shall be deleted. */
  readonly forget: readonly string[]
}

/**
 * The life cycle announced → active → retired → removed → verify-only as a function of what is known and the
 * time. Every line (ring and algorithm) ends with one active and one announced key whose times meet: the heir
 * becomes active at the very moment at which the active key retires. Planning what was just planned yields nothing.
 */
export function planRotation(keys: readonly KeyLife[], policy: RotationPolicy, now: Date): RotationPlan {
  const lines = RINGS.flatMap((ring) => {
    const ringKeys = keys.filter((key) => key.ring === ring)
    return policy.rings[ring].algorithms.map((algorithm) =>
      planLine(ringKeys, { ring, algorithm }, policy, now),
    )
  })
  const changed = new Map(lines.flatMap(({ change }) => change.map((key) => [key.kid, key])))
  const forget: string[] = []
  for (const key of keys) {
    const before = changed.get(key.kid) ?? key
    const after = ended(before, now)
    if (after === 'forgotten') {
      changed.delete(key.kid)
      forget.push(key.kid)
    } else if (after !== before) changed.set(key.kid, after)
  }
  return { create: lines.flatMap(({ create }) => create), change: [...changed.values()], forget }
}

/** Whether a plan asks for nothing. */
export function isSettled({ create, change, forget }: RotationPlan): boolean {
  return create.length === 0 && change.length === 0 && forget.length === 0
}

interface Line {
  readonly ring: Ring
  readonly algorithm: KeyAlgorithm
}

type LinePlan = Pick<RotationPlan, 'create' | 'change'>

function planLine(ringKeys: readonly KeyLife[], line: Line, policy: RotationPolicy, now: Date): LinePlan {
  const inState = (state: KeyLife['state']) =>
    ringKeys.find((key) => key.algorithm === line.algorithm && key.state === state)
  const active = inState('active')
  const announced = inState('announced')
  if (announced === undefined) {
    if (active === undefined) return { create: firstKeys(ringKeys, line, policy, now), change: [] }
    const { predecessor, heir } = announceHeir(active, policy, now)
    return { create: [heir], change: predecessor === active ? [] : [predecessor] }
  }
  if (announced.activeAt > now) return { create: [], change: [] }
  const { predecessor, heir } = announceHeir({ ...announced, state: 'active' }, policy, now)
  return {
    create: [heir],
    change: [...(active ? [{ ...active, state: 'retired' as const }] : []), predecessor],
  }
}

/** Only when the whole ring is empty may a key work at once: nobody can have cached a key set without it. */
function firstKeys(
  ringKeys: readonly KeyLife[],
  line: Line,
  policy: RotationPolicy,
  now: Date,
): readonly PlannedKey[] {
  const { rotateMs } = policy.rings[line.ring]
  if (ringKeys.length > 0) return [plannedKey(line, 'announced', now, later(now, policy.visibleMs), policy)]
  // Backdated, so that a holder whose clock is behind ours can use it at once too.
  const activeAt = later(now, -policy.clockToleranceMs)
  const first = plannedKey(line, 'active', now, activeAt, policy)
  return [first, plannedKey(line, 'announced', now, later(activeAt, rotateMs), policy)]
}

/**
 * Announces the heir of an active key. The key works on until the heir was visible long enough, also when its
 * own time ran out while no replica was there to rotate.
 */
function announceHeir(
  active: KeyLife,
  policy: RotationPolicy,
  now: Date,
): { readonly predecessor: KeyLife; readonly heir: PlannedKey } {
  const earliest = later(now, policy.announceMs)
  const late = earliest > active.retireAt
  const retireAt = late ? earliest : active.retireAt
  const lengthened = { ...active, ...datesOf({ ...active, retireAt }, policy.rings[active.ring]) }
  return {
    predecessor: late ? lengthened : active,
    heir: plannedKey(active, 'announced', now, retireAt, policy),
  }
}

function plannedKey(
  { ring, algorithm }: Line,
  state: 'announced' | 'active',
  announcedAt: Date,
  activeAt: Date,
  policy: RotationPolicy,
): PlannedKey {
  const retireAt = later(activeAt, policy.rings[ring].rotateMs)
  const dates = datesOf({ announcedAt, activeAt, retireAt }, policy.rings[ring])
  return { ring, algorithm, state, ...dates }
}

function ended(key: KeyLife, now: Date): KeyLife | 'forgotten' {
  const isRemoved = key.state === 'removed' || key.state === 'verify-only'
  if (isRemoved || (key.state === 'retired' && key.removeAt <= now)) {
    if (key.forgetAt <= now) return 'forgotten'
    if (!isRemoved) return { ...key, state: hasPublicHalf(key.ring) ? 'verify-only' : 'removed' }
  }
  return key
}
