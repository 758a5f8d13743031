import type { AuditTarget } from '@signet/admin-api/audit/audit-table'
import { z } from 'zod'
import type { Permission } from '../permissions/permission.ts'
import type { ManagementCall } from './management-call.ts'

// One operation of the management API is one declaration: `operation({ … })` in a file `*.routes.ts`, listed in
// `operations.ts`. Routes, validation, permission check, audit, ETags, idempotency keys and the OpenAPI
// document all come from it; the use case that it names knows nothing of HTTP.

type Shape = Readonly<Record<string, z.ZodType>>

type Outputs<S extends Shape> = { [Name in keyof S]: z.output<S[Name]> }

type Body = z.ZodType<object>

interface Declaration<
  Path extends Shape,
  Query extends Shape,
  Request extends Body,
  Response extends z.ZodType,
  Stores,
  Services,
> {
  /** `noun.verb`: the id in OpenAPI and in clients, and the action in the audit log. */
  readonly id: string
  readonly summary: string
  readonly description?: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** `{name}` stands for a member of `parameters`. */
  readonly path: string
  readonly parameters?: Path
  readonly query?: Query
  /** Schema of the body. Members whose own members have names of the caller's choice stand in `opaque`. */
  readonly request?: Request
  readonly opaque?: readonly string[]
  /** Most members and elements of the body, where the number of all operations is too small. */
  readonly mostValues?: number
  /** A body that would work, for the document and for tests. */
  readonly example?: z.input<Request>
  /** The response; status 204 without a body when absent. Times are Date here and text on the wire. */
  readonly response?: Response
  /** Members of the response that change without a change of the object. The entity tag is that of the others. */
  readonly untagged?: readonly string[]
  /** The response is an array; it is sent as one JSON object a line (application/x-ndjson). */
  readonly isLines?: true
  /** Answered with 201, and once only under an Idempotency-Key. An `id` of the request becomes that of the target. */
  readonly creates?: true
  readonly permission: Permission
  /** The target in the audit log, when it is not the one of the id and the last parameter of the path. */
  readonly target?: AuditTarget | { readonly kind: string; readonly field: string }
  /** Parameters and body in one object; their names may not collide. */
  readonly handle: (
    call: ManagementCall<Stores>,
    input: Outputs<Path> & Outputs<Query> & z.output<Request>,
    services: Services,
  ) => Promise<z.output<Response>>
}

/**
 * An operation without the types of its schemas, whose output fits the input of its handler. `Stores` and `Services` are those
 * that the handler uses; without them it is only described.
 */
export interface Operation<Stores = never, Services = never>
  extends Omit<
    Declaration<Shape, Shape, Body, z.ZodType, Stores, Services>,
    'parameters' | 'query' | 'example' | 'handle'
  > {
  readonly parameters: z.ZodObject
  readonly query: z.ZodObject
  readonly example?: unknown
  readonly handle: (
    call: ManagementCall<Stores>,
    input: Readonly<Record<string, unknown>>,
    services: Services,
  ) => Promise<unknown>
}

/** The media type of a response with one JSON object a line. */
export const LINES = 'application/x-ndjson'

const nothing = z.strictObject({})

export function operation<
  Path extends Shape = Record<never, never>,
  Query extends Shape = Record<never, never>,
  Request extends Body = typeof nothing,
  Response extends z.ZodType = z.ZodVoid,
  Stores = unknown,
  Services = unknown,
>(declaration: Declaration<Path, Query, Request, Response, Stores, Services>): Operation<Stores, Services> {
  return {
    ...declaration,
    parameters: z.strictObject(declaration.parameters ?? {}),
    query: z.strictObject(declaration.query ?? {}),
    // The schemas of the declaration are what makes an input one of these.
    handle: declaration.handle as Operation<Stores, Services>['handle'],
  } as Operation<Stores, Services>
}

/** The operation that shows what this one changes: If-Match refers to its response. */
export function readerOf<Stores, Services>(
  operation: Operation<Stores, Services>,
  operations: readonly Operation<Stores, Services>[],
): Operation<Stores, Services> | undefined {
  if (operation.method === 'get' || operation.method === 'post') return undefined
  return operations.find(({ method, path }) => method === 'get' && path === operation.path)
}

/** Returns the schemas of the responses that carry an entity tag, because If-Match may refer to them later, with the members that it leaves out. */
export function taggedResponses<Stores, Services>(
  operations: readonly Operation<Stores, Services>[],
): ReadonlyMap<z.ZodType | undefined, readonly string[]> {
  const readers = operations.flatMap((operation) => readerOf(operation, operations) ?? [])
  return new Map(
    readers.flatMap(({ response, untagged = [] }) => (response ? [[response, untagged] as const] : [])),
  )
}
