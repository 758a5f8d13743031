import { quantileOf } from '@signet/platform/load/open-loop'
import { saturate } from '../load/lane.ts'
import { arrive } from '../load/open-loop.ts'
import type { Contender, ContenderName, LoadRow } from '../rows/row.ts'
import type { Stage } from '../stage/stage.ts'
import { residentBytesOf, type ServerProcesses, serverProcesses, startCpuCount } from './process-usage.ts'
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
  /** The same of Redis and PostgreSQL, the median of the rounds, including their background work. */
  readonly redisMicroseconds: number
  readonly postgresMicroseconds: number
  /** Latency at 40 % of the rate of saturation: milliseconds from arrival to answer, and CPU as above. */
  readonly latency: Latency
  readonly cpuMicrosecondsAt40: number
  /** Resident memory of the processes at the end. */
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

/** Installations run far below saturation. */
const SHARE_OF_SATURATION = 0.4

/**
 * Runs the contenders of a row alternately, in a different order in each round, so that other load on the
 * machine affects all of them.
 */
export async function measureLoad(row: LoadRow, stage: Stage, random: () => number): Promise<LoadFigures> {
  const { rounds, warmUpMs } = stage.sizes
  const contenders = await row.open(stage)
  for (const contender of contenders) {
    await contender.beforeTurn?.(warmUpMs)
    await saturate(contender.lanes, stage.connections.send, warmUpMs)
  }
  const servers = await serverProcesses(stage)
  const turns = new Map(contenders.map((contender) => [contender, newTurns()]))
  let generatorBusy = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of rotated(contenders, round)) {
      const taken = turns.get(contender) ?? newTurns()
      const before = performance.eventLoopUtilization()
      const perSecond = await takeTurn(contender, { stage, servers, taken })
      generatorBusy = Math.max(generatorBusy, performance.eventLoopUtilization(before).utilization)
      await takeArrivals(contender, { stage, taken, perSecond: SHARE_OF_SATURATION * perSecond, random })
    }
  }
  return {
    generatorBusy,
    contenders: contenders.map((contender) => figuresOf(contender, turns.get(contender) ?? newTurns())),
    ratios: ratiosOf(row, contenders, turns),
  }
}

async function takeTurn(
  { lanes, pids, beforeTurn }: Contender,
  {
    stage,
    servers,
    taken,
  }: { readonly stage: Stage; readonly servers: ServerProcesses; readonly taken: Turns },
): Promise<number> {
  const { turnMs } = stage.sizes
  await beforeTurn?.(turnMs)
  const counts = [pids, servers.redis, servers.postgres].map(startCpuCount)
  const { operations, perSecond } = await saturate(lanes, stage.connections.send, turnMs)
  const [own = Number.NaN, redis = Number.NaN, postgres = Number.NaN] = counts.map(
    (seconds) => (seconds() / operations) * 1e6,
  )
  taken.perSecond.push(perSecond)
  taken.cpuMicroseconds.push(own)
  taken.redisMicroseconds.push(redis)
  taken.postgresMicroseconds.push(postgres)
  return perSecond
}

async function takeArrivals(
  { lanes, pids, beforeTurn }: Contender,
  options: {
    readonly stage: Stage
    readonly taken: Turns
    readonly perSecond: number
    readonly random: () => number
  },
): Promise<void> {
  const { stage, taken, perSecond, random } = options
  const { arrivalsMs: durationMs } = stage.sizes
  // Random arrivals exceed their mean rate now and then.
  await beforeTurn?.(1.5 * SHARE_OF_SATURATION * durationMs)
  const cpuSeconds = startCpuCount(pids)
  const latencies = await arrive(lanes, stage.connections.send, { perSecond, durationMs, random })
  if (latencies.length === 0) return
  taken.cpuMicrosecondsAt40.push((cpuSeconds() / latencies.length) * 1e6)
  taken.latencies.push(latencies)
}

interface Turns {
  readonly perSecond: number[]
  readonly cpuMicroseconds: number[]
  readonly redisMicroseconds: number[]
  readonly postgresMicroseconds: number[]
  readonly cpuMicrosecondsAt40: number[]
  readonly latencies: Float64Array[]
}

const newTurns = (): Turns => ({
  perSecond: [],
  cpuMicroseconds: [],
  redisMicroseconds: [],
  postgresMicroseconds: [],
  cpuMicrosecondsAt40: [],
  latencies: [],
})

function rotated<T>(values: readonly T[], by: number): readonly T[] {
  const start = by % values.length
  return [...values.slice(start), ...values.slice(0, start)]
}

function figuresOf({ name, pids }: Contender, turns: Turns): ContenderFigures {
  const {
    perSecond,
    cpuMicroseconds,
    redisMicroseconds,
    postgresMicroseconds,
    cpuMicrosecondsAt40,
    latencies,
  } = turns
  const all = Float64Array.from(latencies.flatMap((each) => [...each])).sort()
  const latency = { p50: quantileOf(all, 0.5), p99: quantileOf(all, 0.99), p999: quantileOf(all, 0.999) }
  return {
    name,
    perSecond: spreadOf(perSecond),
    cpuMicroseconds: spreadOf(cpuMicroseconds),
    redisMicroseconds: spreadOf(redisMicroseconds).median,
    postgresMicroseconds: spreadOf(postgresMicroseconds).median,
    residentBytes: residentBytesOf(pids),
    latency,
    cpuMicrosecondsAt40: spreadOf(cpuMicrosecondsAt40).median,
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
