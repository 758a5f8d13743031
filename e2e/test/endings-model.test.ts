import { size } from '@signet/testing/sizes'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type EndingsEnvironment,
  SHARES,
  type Share,
  startEndingsEnvironment,
} from './endings-environment.ts'
import { EndingsDriver, EndingsModel } from './endings-model.ts'
import { heal, KINDS, type Step, StepRates, stepOf } from './endings-steps.ts'

const SEED = 20_260
/** Set it to the number in the message of a failure to run that sequence alone. */
const ONLY: number | undefined = undefined

const rates = new StepRates()
const soak = size('endingSequences') > 100

/** Most of a sequence is waiting for servers that are away, so a soak disturbs several installations at once. */
const INSTALLATIONS = soak ? 3 : 1
const environments: EndingsEnvironment[] = []
beforeAll(async () => {
  for (let started = 0; started < INSTALLATIONS; started += 1) {
    environments.push(await startEndingsEnvironment({ logins: soak ? 2 : 1 }))
  }
}, 240_000)
afterAll(async () => {
  await Promise.all(environments.map((environment) => environment.stop()))
}, 60_000)

/** The fault of a sequence, which three of four have; they take turns, so that each occurs however few sequences there are. */
const faultOf = (number: number) =>
  number % 4 === 3 ? undefined : KINDS.faults[(number - Math.floor(number / 4)) % KINDS.faults.length]

/** Requests around a fault. */
function sequenceOf(number: number): fc.Arbitrary<readonly Step[]> {
  const fault = faultOf(number)
  const requests = (minLength: number, maxLength: number) =>
    fc.array(stepOf(KINDS.requests, rates), { minLength, maxLength })
  const longFault = { weight: 1, arbitrary: stepOf(KINDS.longFaults, rates) }
  const faults = soak
    ? fc.array(fc.oneof({ weight: 9, arbitrary: stepOf(KINDS.faults, rates) }, longFault), { maxLength: 3 })
    : fault
      ? stepOf([fault], rates).map((step) => [step])
      : fc.constant<Step[]>([])
  const signIn = stepOf(['sign in'], rates)
  return fc
    .tuple(
      signIn,
      signIn,
      requests(1, 4),
      faults,
      requests(1, 4),
      soak ? faults : fc.constant([]),
      requests(0, 3),
    )
    .map(([first, second, ...rest]) => [first, second, ...rest.flat()])
}

/** Names all of them, which the message of `expect` does not. */
function requireNone(problem: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error(`${problem}: ${found.join(', ')}`)
}

async function runSequence(number: number, on: EndingsEnvironment, share: Share): Promise<void> {
  const driver = new EndingsDriver(on, share, soak)
  const model = new EndingsModel(() => driver.now())
  const { system } = on
  const parameters = { seed: SEED + number, numRuns: 1, endOnFailure: true, includeErrorInReport: true }
  const property = fc.asyncProperty(sequenceOf(number), async (steps) => {
    const endsBefore = system.unexpectedEnds.length
    try {
      await fc.asyncModelRun(() => ({ model, real: driver }), steps)
      await heal(driver)
      requireNone('accepted although it was ended', await driver.revived(model))
      requireNone('refused although it was not ended', await driver.lost(model))
      // No fault is a reason for a process to end: it waits, or responds that it is unavailable.
      requireNone('processes ended', system.unexpectedEnds.slice(endsBefore))
    } catch (error) {
      const ended = system.unexpectedEnds.slice(endsBefore)
      // The next sequence begins with a suite that works.
      await system.startMissing()
      await heal(driver).catch(() => undefined)
      const logged = system
        .output()
        .stderr.split('\n')
        // A process that ends says why in lines that are not JSON.
        .filter((line) => line.includes('"level":"error"') || /^[^{]/.test(line))
        // Reported for the rest of a soak once PostgreSQL was restored.
        .filter((line) => !line.includes('audit_chain_changed'))
      const lines = [...driver.trail, ...ended, ...logged.slice(-8).map((line) => line.slice(0, 500))]
      const message = `sequence ${number}, seed ${SEED + number}: ${String(error)}\n${lines.join('\n')}`
      throw new Error(message, { cause: error })
    }
  })
  await fc.assert(property, parameters)
}

it(
  'accepts nothing after its ending call returned 2xx, and refuses nothing that was not ended',
  async () => {
    const failures: string[] = []
    const numbers = ONLY === undefined ? [...Array(size('endingSequences')).keys()] : [ONLY]
    let ran = 0
    const run = async (number: number, on: EndingsEnvironment, share: Share) => {
      await runSequence(number, on, share).catch((error: unknown) => {
        process.stdout.write(`${error}\n`)
        failures.push(`sequence ${number}`)
      })
      ran += 1
      // A soak takes hours; the completed runs count when it is stopped early.
      if (soak && ran % 25 === 0)
        process.stdout.write(`${ran} sequences, ${failures.length} failed\n${rates}\n`)
    }
    // Sequences without a fault disturb no other and run at once, each on its share of the directory.
    const isFaulty = (number: number) => soak || faultOf(number) !== undefined
    const calm = numbers.filter((number) => !isFaulty(number)).values()
    const faulty = numbers.filter(isFaulty).values()
    await Promise.all(
      environments.map(async (on) => {
        await Promise.all(
          SHARES.map(async (share) => {
            for (const number of calm) await run(number, on, share)
          }),
        )
        for (const number of faulty) await run(number, on, SHARES[0])
      }),
    )
    process.stdout.write(`${rates}\n`)
    expect(failures).toEqual([])
    if (ONLY !== undefined) return
    for (const kind of [...KINDS.requests, ...KINDS.faults, ...(soak ? KINDS.longFaults : [])]) {
      const { ran, refused } = rates.kinds.get(kind) ?? { ran: 0, refused: 0 }
      expect(ran - refused, `successful runs of: ${kind}`).toBeGreaterThan(0)
    }
  },
  24 * 3_600_000,
)
