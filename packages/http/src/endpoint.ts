import type { IncomingMessage } from 'node:http'
import type { Answer } from './answer.ts'
import type { Cors } from './cors.ts'

/** Answers a request; the error handler of the service answers its errors. */
export type AnswerRequest = (req: IncomingMessage) => Answer | Promise<Answer>

/**
 * A path that is asked so often that what Express does for each request would cost more than its answer; see
 * docs/decisions/0020. Everything else is a `Router`.
 */
export interface Endpoint {
  readonly path: string
  readonly methods: Readonly<Partial<Record<EndpointMethod, AnswerRequest>>>
  /** The origins whose pages may read it; none when left out. */
  readonly cors?: Cors
}

export type EndpointMethod = 'GET' | 'POST'
