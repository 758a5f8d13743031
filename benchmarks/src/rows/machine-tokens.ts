import { saturate } from '../load/closed-loop.ts'
import { openConnections } from '../load/http-exchange.ts'
import { type Lane, laneOf, WrongAnswer } from '../load/lane.ts'
import { startCpuCount } from '../measure/process-usage.ts'
import { spreadOf } from '../measure/spread.ts'
import type { Sizes } from '../sizes.ts'
import type { Figure } from './figure-row.ts'
import { formRequest } from './requests.ts'
import { freshToken, isSealed, sameBytes } from './right-answers.ts'

/** A service that one process or several offer; each has an origin of its own. */
export interface Offered {
  readonly origins: readonly string[]
  readonly pids: readonly number[]
}

/**
 * What one kind of process does when clients ask for tokens of their own and have them introspected: how much a second,
 * and CPU time for each. `name` starts the names of the figures.
 */
export async function figuresOfMachineTokens(
  name: string,
  { token, introspection }: { readonly token: Offered; readonly introspection: Offered },
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
      figures.push(...(await steady(`${name}, ${of}`, { lanes, pids: offered.pids }, { sizes, connections })))
    }
    return figures
  } finally {
    await connections.close()
  }
}

async function steady(
  name: string,
  { lanes, pids }: { readonly lanes: readonly Lane[]; readonly pids: readonly number[] },
  { sizes, connections }: { readonly sizes: Sizes; readonly connections: ReturnType<typeof openConnections> },
): Promise<readonly Figure[]> {
  await saturate(lanes, connections.send, sizes.warmUpMs)
  const rates: number[] = []
  const costs: number[] = []
  for (let round = 0; round < sizes.rounds; round += 1) {
    const cpuSeconds = startCpuCount(pids)
    const { operations, perSecond } = await saturate(lanes, connections.send, sizes.turnMs)
    rates.push(perSecond)
    costs.push((cpuSeconds() / operations) * 1e6)
  }
  return [
    { name: `${name}: operations`, value: spreadOf(rates).median, unit: '/s' },
    { name: `${name}: CPU of one`, value: spreadOf(costs).median, unit: 'µs' },
  ]
}
