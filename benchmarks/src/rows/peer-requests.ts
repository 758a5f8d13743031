import { WrongAnswer } from '../load/lane.ts'
import type { Stage } from '../stage/stage.ts'
import { getRequest } from './requests.ts'

/** Tokens of as many users that signed in at the peer. */
export async function tokensOfPeer(
  { peer, connections }: Stage,
  kind: 'access' | 'refresh',
  count: number,
  clientId = 'web',
): Promise<readonly string[]> {
  const request = getRequest(peer.origin, `/mint?kind=${kind}&count=${count}&client=${clientId}`)
  const answer = await connections.send(request)
  if (answer.status !== 200) throw new WrongAnswer(request, answer)
  return JSON.parse(answer.body) as string[]
}
