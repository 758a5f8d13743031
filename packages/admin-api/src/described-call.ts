import type { z } from 'zod'

interface CallResponse {
  readonly description: string
  readonly type?: string
  /** Schema of a JSON body. */
  readonly schema?: z.ZodType
}

/** A call of another service than the directory, for the OpenAPI document that the directory serves. */
export interface DescribedCall {
  /** The id in OpenAPI. */
  readonly id: string
  readonly summary: string
  readonly method: 'get' | 'post' | 'put'
  readonly path: string
  readonly query?: Readonly<Record<string, z.ZodType>>
  readonly request?: z.ZodType
  readonly example?: unknown
  readonly responses: Readonly<Record<number, CallResponse>>
  /** The statuses of its refusals. */
  readonly refusals: readonly (400 | 401 | 403 | 404 | 409 | 410 | 413 | 429 | 503 | 504)[]
}
