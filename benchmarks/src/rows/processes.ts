import { quantileOf } from '@signet/platform/load/open-loop'
import type { ServiceName } from '@signet/platform/process/service'
import { type Connections, openConnections } from '../load/http-exchange.ts'
import { type Lane, laneOf, saturate, WrongAnswer } from '../load/lane.ts'
import { arrive } from '../load/open-loop.ts'
import { startCpuCount } from '../measure/process-usage.ts'
import { spreadOf } from '../measure/spread.ts'
import type { Sizes } from '../sizes.ts'
import { productionEnvironment, standaloneEnvironment } from '../stage/production-environment.ts'
import { startSignet } from '../stage/signet.ts'
import { openStandalone } from '../stage/standalone.ts'
import { temporaryFolder } from '../stage/temporary-folder.ts'
import { formRequest } from './requests.ts'
import { freshToken, isSealed, sameBytes } from './right-answers.ts'
import type { Figure, FigureRow } from './row.ts'

const COUNTS = [1, 2, 4]

/** A load that keeps four processes and the generator below two cores of a slow machine. */
const PER_SECOND_EACH = 500

/**
 * Whether further processes of a service add as much as the first: they do while the CPU time of an operation
 * stays the same. Measured at a fixed rate for each process too, since the cores are too few to saturate all
 * of them.
 */
export const processes: FigureRow = {
  kind: 'figures',
  name: 'processes',
  title: 'client_credentials and introspection with one process of each service, two, and four',
  async measure(sizes) {
    const figures: Figure[] = []
    for (const count of COUNTS) {
      await using opened = new AsyncDisposableStack()
      const signet = await startSignet(await temporaryFolder(opened), productionEnvironment(), {
        token: count,
        introspection: count,
      })
      opened.defer(() => signet.stop())
      const offered = (service: ServiceName): Offered => {
        const replicas = signet.suite.replicas(service)
        return {
          origins: replicas.map(({ ports }) => `http://127.0.0.1:${ports.http}`),
          pids: replicas.map(({ pid }) => pid),
        }
      }
      const name = `${count} ${count === 1 ? 'process' : 'processes'}`
      const services = { token: offered('token'), introspection: offered('introspection') }
      const loads = [atOnce, atRate(PER_SECOND_EACH, Math.random)]
      figures.push(...(await figuresOfMachineTokens({ name, ...services, loads }, sizes)))
    }
    return figures
  },
}

/** All services in one process. */
export const standalone: FigureRow = {
  kind: 'figures',
  name: 'standalone',
  title: 'client_credentials and introspection with all services in one process',
  async measure(sizes) {
    await using opened = new AsyncDisposableStack()
    const running = await openStandalone(await temporaryFolder(opened), standaloneEnvironment())
    opened.defer(() => running.stop())
    const { pid } = await running.start()
    const offered = { origins: [running.origin], pids: [pid] }
    const services = { token: offered, introspection: offered }
    return await figuresOfMachineTokens({ name: 'standalone', ...services, loads: [atOnce] }, sizes)
  },
}

/** A service that one process or several offer; each has an origin of its own. */
interface Offered {
  readonly origins: readonly string[]
  readonly pids: readonly number[]
}

interface MachineTokens {
  /** Starts the names of the figures. */
  readonly name: string
  readonly token: Offered
  readonly introspection: Offered
  /** Loads that run one after the other. */
  readonly loads: readonly LoadOf[]
}

/** Lets lanes work and answers what there is to say about it. */
type LoadOf = (name: string, work: Work, sizes: Sizes) => Promise<readonly Figure[]>

interface Work {
  readonly lanes: readonly Lane[]
  readonly pids: readonly number[]
  readonly connections: Connections
}

/** Figures of processes while clients request tokens of their own and introspect them. */
async function figuresOfMachineTokens(
  { name, token, introspection, loads }: MachineTokens,
  sizes: Sizes,
): Promise<readonly Figure[]> {
  const connections = openConnections(sizes.lanes)
  try {
    const grant = (origin: string) =>
      formRequest(origin, '/oauth/v2/token', {
        clientId: 'backend',
        form: { grant_type: 'client_credentials' },
      })
    const first = grant(token.origins[0] ?? '')
    const answer = await connections.send(first)
    const isFresh = freshToken(isSealed)(answer)
    if (isFresh === undefined) throw new WrongAnswer(first, answer)
    const { access_token } = JSON.parse(answer.body) as { readonly access_token: string }
    const look = (origin: string) =>
      formRequest(origin, '/oauth/v2/introspect', { clientId: 'backend', form: { token: access_token } })
    const looked = look(introspection.origins[0] ?? '')
    const seen = await connections.send(looked)
    const isActive = sameBytes({ active: true, client_id: 'backend' })(seen)
    if (isActive === undefined) throw new WrongAnswer(looked, seen)
    const measured = [
      { of: 'client_credentials', offered: token, request: grant, isRight: isFresh },
      { of: 'introspect', offered: introspection, request: look, isRight: isActive },
    ]
    const figures: Figure[] = []
    for (const { of, offered, request, isRight } of measured) {
      const lanes = Array.from({ length: sizes.lanes }, (_, lane) => {
        const asked = request(offered.origins[lane % offered.origins.length] ?? '')
        return laneOf(() => asked, isRight)
      })
      const work = { lanes, pids: offered.pids, connections }
      await saturate(lanes, connections.send, sizes.warmUpMs)
      for (const load of loads) figures.push(...(await load(`${name}, ${of}`, work, sizes)))
    }
    return figures
  } finally {
    await connections.close()
  }
}

/** Measures the load at saturation: rate, and CPU time of each operation. */
const atOnce: LoadOf = async (name, { lanes, pids, connections }, { rounds, turnMs }) => {
  const rates: number[] = []
  const costs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const cpuSeconds = startCpuCount(pids)
    const { operations, perSecond } = await saturate(lanes, connections.send, turnMs)
    rates.push(perSecond)
    costs.push((cpuSeconds() / operations) * 1e6)
  }
  return [
    { name: `${name}: operations`, value: spreadOf(rates).median, unit: '/s' },
    { name: `${name}: CPU of one`, value: spreadOf(costs).median, unit: 'µs' },
  ]
}

/** The same rate for each process, however many there are: CPU time for each operation, and how long they take. */
function atRate(perSecondEach: number, random: () => number): LoadOf {
  return async (name, { lanes, pids, connections }, { rounds, turnMs }) => {
    const perSecond = perSecondEach * pids.length
    // In one piece: the kernel counts CPU time by hundredths of a second.
    const durationMs = rounds * turnMs
    const cpuSeconds = startCpuCount(pids)
    const latencies = await arrive(lanes, connections.send, { perSecond, durationMs, random })
    const named = `${name}, ${perSecondEach} a second and process`
    return [
      { name: `${named}: CPU of one`, value: (cpuSeconds() / latencies.length) * 1e6, unit: 'µs' },
      { name: `${named}: p99`, value: quantileOf(latencies, 0.99), unit: 'ms' },
    ]
  }
}
