import { describe, expect, it } from 'vitest'
import { type Attempt, createDeliveryRound, type FinishedTry } from './deliver.ts'
import type { Delivery, Outbox } from './outbox.repository.ts'

const delivery: Delivery = { id: 'd1', day: 1, failures: 0, receiver: 'r1' }

interface Options {
  readonly results?: readonly Attempt[]
  readonly delivered?: () => Promise<void>
  readonly claim?: Outbox<Delivery>['claim']
  readonly deliver?: (delivery: Delivery) => Promise<Attempt>
}

function setUp({ results = [], delivered = async () => undefined, claim, deliver }: Options) {
  const tries: FinishedTry<Delivery>[] = []
  const errors: unknown[] = []
  const remaining = [...results]
  let sent = 0
  let pending = [delivery]
  const outbox: Outbox<Delivery> = {
    claim: claim ?? (async () => pending.splice(0)),
    delivered,
    postpone: async () => undefined,
    giveUp: async () => undefined,
  }
  const round = createDeliveryRound({
    outbox,
    now: () => new Date(0),
    deliver:
      deliver ??
      (async () => {
        sent += 1
        return remaining.shift() ?? { accepted: true }
      }),
    recordGivenUp: async () => undefined,
    report: (finished) => tries.push(finished),
    onError: (error) => errors.push(error),
  })
  return {
    round: (signal = new AbortController().signal) => round(signal),
    again() {
      pending = [delivery]
    },
    tries,
    errors,
    sent: () => sent,
  }
}

describe('a round of deliveries', () => {
  it('does not send again what the receiver accepted while the result could not be stored', async () => {
    let away = true
    const { round, again, tries, errors, sent } = setUp({
      delivered: async () => {
        if (away) throw new Error('the database is away')
      },
    })
    await round()
    expect(errors).toMatchObject([{ message: 'the database is away' }])
    away = false
    again()
    await round()
    expect(sent()).toBe(1)
    expect(tries).toMatchObject([{ outcome: 'delivered' }])
  })

  it('gives up at once after a final failure', async () => {
    const { round, tries } = setUp({ results: [{ accepted: false, reason: 'status_550', isFinal: true }] })
    await round()
    expect(tries).toMatchObject([{ outcome: 'given_up', attempt: 1, reason: 'status_550' }])
  })

  it('postpones a delivery after another failure', async () => {
    const { round, tries } = setUp({ results: [{ accepted: false, reason: 'status_451' }] })
    await round()
    expect(tries).toMatchObject([{ outcome: 'postponed', attempt: 1 }])
  })

  it('reports a claim that failed and ends', async () => {
    const { round, errors } = setUp({ claim: () => Promise.reject(new Error('the database is away')) })
    await round()
    expect(errors).toMatchObject([{ message: 'the database is away' }])
  })

  it('starts a delivery as soon as another one ends, beside one that takes long', async () => {
    const slow = Promise.withResolvers<Attempt>()
    const queue = [
      { ...delivery, id: 'slow', receiver: 'silent' },
      { ...delivery, id: 'first' },
      { ...delivery, id: 'second' },
    ]
    const claims: { limit: number; busy: readonly string[] }[] = []
    const { round, tries } = setUp({
      claim: async (limit, _now, busy = []) => {
        claims.push({ limit, busy })
        return queue.splice(0, claims.length === 1 ? 2 : 1)
      },
      deliver: ({ id }) => (id === 'slow' ? slow.promise : Promise.resolve({ accepted: true })),
    })
    const ended = round()
    await expect.poll(() => tries.map(({ delivery: { id } }) => id)).toEqual(['first', 'second'])
    expect(claims.slice(0, 2)).toEqual([
      { limit: 50, busy: [] },
      { limit: 49, busy: ['silent'] },
    ])
    slow.resolve({ accepted: true })
    await ended
    expect(tries).toHaveLength(3)
  })

  it('does not start a delivery again that is in flight, however long it takes', async () => {
    const slow = Promise.withResolvers<Attempt>()
    let claims = 0
    let sent = 0
    const other = { ...delivery, id: 'other' }
    const { round } = setUp({
      claim: async () => {
        claims += 1
        return claims === 1 ? [delivery, other] : claims === 2 ? [delivery] : []
      },
      deliver: ({ id }) => {
        if (id === 'other') return Promise.resolve({ accepted: true })
        sent += 1
        return slow.promise
      },
    })
    const ended = round()
    await expect.poll(() => claims).toBe(2)
    slow.resolve({ accepted: true })
    await ended
    expect(sent).toBe(1)
  })

  it('claims no more once it is stopped, and waits for the delivery in flight', async () => {
    const stopping = new AbortController()
    const slow = Promise.withResolvers<Attempt>()
    let claims = 0
    const { round, tries } = setUp({
      claim: async () => {
        claims += 1
        return [delivery]
      },
      deliver: () => slow.promise,
    })
    const ended = round(stopping.signal)
    await expect.poll(() => claims).toBe(1)
    stopping.abort()
    slow.resolve({ accepted: true })
    await ended
    expect(claims).toBe(1)
    expect(tries).toMatchObject([{ outcome: 'delivered' }])
  })
})
