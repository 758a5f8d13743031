import { saturate } from '../load/closed-loop.ts'
import { arrive, quantileOf } from '../load/open-loop.ts'
import type { Contender, ContenderName, LoadRow } from '../rows/row.ts'
import type { Stage } from '../stage/stage.ts'
import { cpuSecondsOf, residentBytesOf } from './process-usage.ts'
import { type Spread, spreadOf } from './spread.ts'

export interface Latency {
  readonly p50: number
  readonly p99: number
  readonly p999: number
}

export interface ContenderFigures {
  readonly name: ContenderName
  readonly perSecond: Spread
  /** Microseconds of CPU time of its processes for one operation. */
  readonly cpuMicroseconds: Spread
  /** Milliseconds at the fixed rate; absent when that was not measured. */
  readonly latency?: Latency
  /** Of its processes, when everything was done. */
  readonly residentBytes: number
}

export interface Ratio {
  readonly of: ContenderName
  /** How often as many operations a second as the other, round by round. */
  readonly throughput: Spread
  readonly atLeast?: number
}

export interface LoadFigures {
  readonly contenders: readonly ContenderFigures[]
  readonly ratios: readonly Ratio[]
  /** The share of its time that the generator was busy, at most; near 1 it was itself the limit. */
  readonly generatorBusy: number
}

/**
 * Lets the contenders of a row take turns, round by round and each time in another order, so that whatever else the
 * machine does meets all of them.
 */
export async function measureLoad(row: LoadRow, stage: Stage, random: () => number): Promise<LoadFigures> {
  const { rounds, warmUpMs, turnMs, arrivalsMs } = stage.sizes
  const { send } = stage.connections
  const contenders = await row.open(stage)
  for (const contender of contenders) {
    await contender.beforeTurn?.(warmUpMs)
    await saturate(contender.lanes, send, warmUpMs)
  }
  const turns = new Map(contenders.map((contender) => [contender, newTurns()]))
  let generatorBusy = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of rotated(contenders, round)) {
      const taken = turns.get(contender) ?? newTurns()
      await contender.beforeTurn?.(turnMs)
      const before = performance.eventLoopUtilization()
      const cpuBefore = cpuSecondsOf(contender.pids)
      const { operations, perSecond } = await saturate(contender.lanes, send, turnMs)
      taken.perSecond.push(perSecond)
      taken.cpuMicroseconds.push(((cpuSecondsOf(contender.pids) - cpuBefore) / operations) * 1e6)
      generatorBusy = Math.max(generatorBusy, performance.eventLoopUtilization(before).utilization)
      if (arrivalsMs === 0) continue
      await contender.beforeTurn?.(arrivalsMs)
      taken.latencies.push(
        await arrive(contender.lanes, send, {
          perSecond: row.arrivalsPerSecond,
          durationMs: arrivalsMs,
          random,
        }),
      )
    }
  }
  return {
    generatorBusy,
    contenders: contenders.map((contender) => figuresOf(contender, turns.get(contender) ?? newTurns())),
    ratios: ratiosOf(row, contenders, turns),
  }
}

interface Turns {
  readonly perSecond: number[]
  readonly cpuMicroseconds: number[]
  readonly latencies: Float64Array[]
}

const newTurns = (): Turns => ({ perSecond: [], cpuMicroseconds: [], latencies: [] })

function rotated<T>(values: readonly T[], by: number): readonly T[] {
  const start = by % values.length
  return [...values.slice(start), ...values.slice(0, start)]
}

function figuresOf(
  { name, pids }: Contender,
  { perSecond, cpuMicroseconds, latencies }: Turns,
): ContenderFigures {
  const all = Float64Array.from(latencies.flatMap((each) => [...each])).sort()
  const latency = { p50: quantileOf(all, 0.5), p99: quantileOf(all, 0.99), p999: quantileOf(all, 0.999) }
  return {
    name,
    perSecond: spreadOf(perSecond),
    cpuMicroseconds: spreadOf(cpuMicroseconds),
    residentBytes: residentBytesOf(pids),
    ...(all.length > 0 && { latency }),
  }
}

function ratiosOf(
  { budgets }: LoadRow,
  contenders: readonly Contender[],
  turns: ReadonlyMap<Contender, Turns>,
): readonly Ratio[] {
  const [signet, ...others] = contenders
  const own = (signet && turns.get(signet)?.perSecond) ?? []
  return others.map((other) => {
    const theirs = turns.get(other)?.perSecond ?? []
    const atLeast = budgets.find((budget) => budget.of === other.name)?.atLeast
    return {
      of: other.name,
      throughput: spreadOf(own.map((value, round) => value / (theirs[round] ?? Number.NaN))),
      ...(atLeast !== undefined && { atLeast }),
    }
  })
}
