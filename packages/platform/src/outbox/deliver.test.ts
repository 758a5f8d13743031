import { describe, expect, it } from 'vitest'
import { type Attempt, createDeliveryRound, type FinishedTry } from './deliver.ts'
import type { Delivery, Outbox } from './outbox.repository.ts'

const delivery: Delivery = { id: 'd1', day: 1, failures: 0 }

function setUp(results: readonly Attempt[], delivered: () => Promise<void> = async () => undefined) {
  const tries: FinishedTry<Delivery>[] = []
  const remaining = [...results]
  let sent = 0
  const outbox: Outbox<Delivery> = {
    claim: async () => [delivery],
    delivered,
    postpone: async () => undefined,
    giveUp: async () => undefined,
  }
  const round = createDeliveryRound({
    outbox,
    atOnce: 2,
    now: () => new Date(0),
    deliver: async () => {
      sent += 1
      return remaining.shift() ?? { accepted: true }
    },
    recordGivenUp: async () => undefined,
    report: (finished) => tries.push(finished),
  })
  return { round: () => round(new AbortController().signal), tries, sent: () => sent }
}

describe('a round of deliveries', () => {
  it('does not send again what the receiver accepted while the result could not be stored', async () => {
    let away = true
    const { round, tries, sent } = setUp([], async () => {
      if (away) throw new Error('the database is away')
    })
    await expect(round()).rejects.toThrow('not every delivery could be made or stored')
    away = false
    await round()
    expect(sent()).toBe(1)
    expect(tries).toMatchObject([{ outcome: 'delivered' }])
  })

  it('gives up at once after a final failure', async () => {
    const { round, tries } = setUp([{ accepted: false, reason: 'status_550', isFinal: true }])
    await round()
    expect(tries).toMatchObject([{ outcome: 'given_up', attempt: 1, reason: 'status_550' }])
  })

  it('postpones a delivery after another failure', async () => {
    const { round, tries } = setUp([{ accepted: false, reason: 'status_451' }])
    await round()
    expect(tries).toMatchObject([{ outcome: 'postponed', attempt: 1 }])
  })
})
