import type { ServiceName } from '@signet/platform/process/service'
import type { HttpRequest } from '../load/http-exchange.ts'
import { laneOf, WrongAnswer } from '../load/lane.ts'
import type { Stage } from '../stage/stage.ts'
import { limitOf, sameLanes } from './requests.ts'
import type { Expectation } from './right-answers.ts'
import type { Contender, LoadRow } from './row.ts'

/** Request that is sent repeatedly, and how its answers are judged. */
export interface Asked {
  readonly request: HttpRequest
  readonly expect: Expectation
}

/** The request to Signet, and how the limit's responses are checked, which repeat the bytes of Signet's. */
interface AskedOfSignet extends Asked {
  readonly expectOfLimit?: Expectation
}

interface PlainRow extends Omit<LoadRow, 'kind' | 'open'> {
  readonly service: ServiceName
  /** The work of the limit before it responds. */
  readonly work: 'answer' | 'update' | 'RS256' | 'ES256'
  signet(stage: Stage): Promise<AskedOfSignet>
  peer?(stage: Stage): Promise<Asked>
}

/** A row whose operation is one request that leaves nothing behind. */
export function plainRow(row: PlainRow): LoadRow {
  const { name, title, limit, budgets, service, work } = row
  return {
    kind: 'load',
    name,
    title,
    ...(limit !== undefined && { limit }),
    budgets,
    async open(stage) {
      const { request, expectOfLimit, ...own } = await row.signet(stage)
      const pids = [stage.signet.replica(service).pid]
      const { contender: signet, answer } = await contenderOf(stage, {
        name: 'signet',
        pids,
        request,
        ...own,
      })
      const peer =
        row.peer &&
        (await contenderOf(stage, { name: 'peer', pids: [stage.peer.pid], ...(await row.peer(stage)) }))
      const limitContender = await limitOf(stage, {
        name,
        work,
        like: request,
        answer,
        ...(expectOfLimit && { expect: expectOfLimit }),
      })
      return [signet, ...(peer ? [peer.contender] : []), limitContender]
    },
  }
}

async function contenderOf(
  stage: Stage,
  { name, pids, request, expect }: Asked & Pick<Contender, 'name' | 'pids'>,
) {
  const answer = await stage.connections.send(request)
  const isRight = expect(answer)
  if (isRight === undefined) throw new WrongAnswer(request, answer)
  const contender: Contender = {
    name,
    pids,
    lanes: sameLanes(
      stage,
      laneOf(() => request, isRight),
    ),
  }
  return { contender, answer }
}
