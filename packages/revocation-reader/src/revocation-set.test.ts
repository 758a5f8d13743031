import { randomBytes } from 'node:crypto'
import { seeded } from '@signet/testing/seeded'
import { expect, it } from 'vitest'
import { ENDING_KINDS, type Ending } from './endings.ts'
import { RevocationSet } from './revocation-set.ts'

function newSet(maxEndings = 1_000_000) {
  const clock = { seconds: 1 }
  return { clock, set: new RevocationSet(maxEndings, () => clock.seconds, randomBytes(8)) }
}

const ofToken = (tokenId: string) => ({ tokenId, organizations: [] })
const ofUser = (id: string, epoch: number) => ({ user: { id, epoch }, organizations: [] })
const ending = (given: Partial<Ending>): Ending => ({
  kind: 't',
  id: 'one',
  value: 1,
  secondsLeft: 60,
  ...given,
})

it.each([1, 2, 3, 4, 5])('agrees with a map of unexpired endings after random steps (seed %i)', (seed) => {
  const random = seeded(seed)
  const pick = (below: number) => Math.floor(random() * below)
  const { clock, set } = newSet()
  // `value` is that of the endings that have not lapsed, `highest` counts the others as well: those may be kept.
  const model = new Map<string, { value: number; highest: number; until: number }>()
  for (let step = 0; step < 20_000; step += 1) {
    const id = `id-${pick(4_000)}`
    const kind = ENDING_KINDS[pick(ENDING_KINDS.length - 1)] ?? 't'
    if (pick(50) === 0) clock.seconds += pick(30)
    if (pick(10) === 0) set.sweep()
    const [value, secondsLeft] = [pick(100), pick(300) - 10]
    set.keep({ kind, id, value, secondsLeft })
    if (secondsLeft <= 0) continue
    const known = model.get(kind + id)
    const until = Math.ceil(clock.seconds + secondsLeft)
    const isLapsed = known === undefined || known.until <= clock.seconds
    model.set(kind + id, {
      value: isLapsed ? value : Math.max(value, known.value),
      highest: Math.max(value, known?.highest ?? 0),
      until: Math.max(until, known?.until ?? 0),
    })
    // Sweeps of all parts leave exactly what has not lapsed.
    if (step % 1_000 !== 999) continue
    for (let n = 0; n < 64; n += 1) set.sweep()
    for (const [name, { until: end }] of model) if (end <= clock.seconds) model.delete(name)
    expect(set.size).toBe(model.size)
    for (let n = 0; n < 4_000; n += 1) {
      const { value = 0, highest = 0 } = model.get(`uid-${n}`) ?? {}
      if (value > 0) expect(set.anyEnded(set.lookUp(ofUser(`id-${n}`, value - 1)))).toBe(true)
      expect(set.anyEnded(set.lookUp(ofUser(`id-${n}`, highest)))).toBe(false)
      expect(set.anyEnded(set.lookUp(ofToken(`id-${n}`)))).toBe(model.has(`tid-${n}`))
    }
  }
})

it('keeps values up to 2^53 and the remaining life of the longest ending', () => {
  const { clock, set } = newSet()
  set.keep(ending({ kind: 'u', id: 'alice', value: Number.MAX_SAFE_INTEGER, secondsLeft: 60 }))
  set.keep(ending({ kind: 'u', id: 'alice', value: 3, secondsLeft: 100 }))
  clock.seconds = 90
  for (let n = 0; n < 64; n += 1) set.sweep()
  expect(set.anyEnded(set.lookUp(ofUser('alice', Number.MAX_SAFE_INTEGER - 1)))).toBe(true)
  expect(set.anyEnded(set.lookUp(ofUser('alice', Number.MAX_SAFE_INTEGER)))).toBe(false)
  expect(set.anyEnded(set.lookUp(ofUser('bob', 0)))).toBe(false)
  clock.seconds = 102
  for (let n = 0; n < 64; n += 1) set.sweep()
  expect(set.size).toBe(0)
})

it('refuses new endings beyond its bound, except keys, and says so', () => {
  const { clock, set } = newSet(2)
  for (const id of ['one', 'two']) set.keep(ending({ id }))
  expect(set.overfull).toBe(false)
  set.keep(ending({ id: 'two', secondsLeft: 90 }))
  expect(set.overfull).toBe(false)
  set.keep(ending({ kind: 'k', id: 'leaked', secondsLeft: Number.POSITIVE_INFINITY }))
  expect(set.overfull).toBe(false)
  set.keep(ending({ id: 'three' }))
  expect(set.overfull).toBe(true)
  expect(set.isKeyRevoked('leaked')).toBe(true)
  expect(set.isKeyRevoked('other')).toBe(false)
  clock.seconds = 10 ** 9
  for (let n = 0; n < 64; n += 1) set.sweep()
  expect([set.size, set.isKeyRevoked('leaked')]).toEqual([1, true])
})

it('an ending of another kind revokes nothing', () => {
  const { set } = newSet()
  set.keep(ending({ kind: 's', id: 'one' }))
  expect(set.anyEnded(set.lookUp(ofToken('one')))).toBe(false)
  expect(set.anyEnded(set.lookUp({ sid: 'one', organizations: [] }))).toBe(true)
})
