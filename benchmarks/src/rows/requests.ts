import type { HttpAnswer, HttpRequest, Send } from '../load/http-exchange.ts'
import { type Lane, laneOf, WrongAnswer } from '../load/lane.ts'
import { SECRET } from '../stage/directory-document.ts'
import type { Stage } from '../stage/stage.ts'
import { type Expectation, unchanged } from './right-answers.ts'
import type { Contender } from './row.ts'

/** A form sent by a client with its secret. */
export function formRequest(
  origin: string,
  path: string,
  { clientId, form }: { readonly clientId: string; readonly form: Readonly<Record<string, string>> },
): HttpRequest {
  return {
    origin,
    path,
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${SECRET}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(form).toString(),
  }
}

export function getRequest(origin: string, path: string, headers: Record<string, string> = {}): HttpRequest {
  return { origin, path, method: 'GET', headers }
}

/** A `fetch` for a browser that sends as the generator does, which takes it less time than `fetch` of Node.js. */
export function fetchBy(send: Send): typeof fetch {
  return async (input, init) => {
    const { origin, pathname, search } = new URL(String(input))
    const { method = 'GET', body, headers } = init ?? {}
    const answer = await send({
      ...{ origin, path: `${pathname}${search}`, method: method === 'POST' ? 'POST' : 'GET' },
      headers: headers as Readonly<Record<string, string>>,
      ...(typeof body === 'string' && { body }),
    })
    const { 'set-cookie': cookies = [], ...others } = answer.headers
    const received = new Headers(others as Record<string, string>)
    for (const line of cookies) received.append('set-cookie', line)
    return new Response(answer.body, { status: answer.status, headers: received })
  }
}

/** Returns equal lanes, in the number of the stage. */
export function sameLanes({ sizes }: Stage, lane: Lane): readonly Lane[] {
  return Array.from({ length: sizes.lanes }, () => lane)
}

interface UsedUp {
  readonly row: string
  /** More than either server can do. */
  readonly mostPerSecond: number
  /** Status of a right answer. */
  readonly status: number
  /** Makes as many things as are asked for, each good for one request. */
  fresh(count: number): Promise<readonly string[]>
  requestOf(thing: string): HttpRequest
}

/** Lanes whose every request uses up something that is made before the turn, such as a token that it revokes. */
export function usingUp(
  stage: Stage,
  { row, mostPerSecond, status: right, fresh, requestOf }: UsedUp,
): Pick<Contender, 'lanes' | 'beforeTurn'> {
  let things: string[] = []
  const next = () => {
    const thing = things.pop()
    if (thing === undefined)
      throw new Error(`${row}: over ${mostPerSecond} a second; mostPerSecond has to be more`)
    return requestOf(thing)
  }
  return {
    async beforeTurn(durationMs) {
      things = [...(await fresh(Math.ceil((durationMs / 1000) * mostPerSecond)))]
    },
    lanes: sameLanes(
      stage,
      laneOf(next, ({ status }) => status === right),
    ),
  }
}

/** Headers of the connection, and those that differ between answers, which Node.js writes for both. */
const NOT_PREPARED = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding', 'content-length'])

/**
 * The handler of the limit that does `work` and then sends the bytes of a response of Signet, its headers
 * included.
 */
export async function limitOf(
  stage: Stage,
  options: {
    readonly name: string
    readonly work: 'answer' | 'update' | 'RS256' | 'ES256' | 'verify' | 'argon2'
    readonly like: HttpRequest
    readonly answer: HttpAnswer
    /**
     * The check for rows whose responses differ. The generator shares the cores with the servers, so it has
     * to do the same work for each contender.
     */
    readonly expect?: Expectation
  },
): Promise<Contender> {
  const { name, work, like, answer, expect = unchanged } = options
  const headers = Object.entries(answer.headers).filter(([header]) => !NOT_PREPARED.has(header))
  await stage.limit.tell({
    name,
    status: answer.status,
    headers: Object.fromEntries([...headers, ['content-length', `${Buffer.byteLength(answer.body)}`]]),
    body: answer.body,
  })
  const request = { ...like, origin: stage.limit.origin, path: `/${work}/${name}` }
  const isRight = expect(answer)
  if (isRight === undefined) throw new WrongAnswer(like, answer)
  return {
    name: 'limit',
    pids: [stage.limit.pid],
    lanes: sameLanes(
      stage,
      laneOf(() => request, isRight),
    ),
  }
}
