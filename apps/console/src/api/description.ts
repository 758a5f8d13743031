import { ApiProblem } from './client.ts'

/** A schema of the API, with references resolved. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly additionalProperties?: boolean | Schema
  readonly minimum?: number
  readonly maximum?: number
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

/** An operation of the API, as a form shows it. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly parameters: readonly Parameter[]
  readonly body?: Schema
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
}
interface RawOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** Fetches the description of the API of this instance, whose version may be another than the console's. */
export async function fetchOperations(): Promise<ReadonlyMap<string, Operation>> {
  const response = await fetch('/management/v1/openapi.json')
  if (!response.ok) throw new ApiProblem(response.status, undefined, undefined)
  const document = (await response.json()) as Document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => operationOf(document, path, method, raw)),
  )
  return new Map(operations.map((operation) => [operation.id, operation]))
}

function operationOf(document: Document, path: string, method: string, raw: RawOperation): Operation {
  const body = raw.requestBody?.content['application/json']?.schema
  return {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    summary: raw.summary,
    ...(raw.description !== undefined && { description: raw.description }),
    parameters: resolved(raw.parameters ?? [], document) as readonly Parameter[],
    ...(body !== undefined && { body: resolved(body, document) as Schema }),
  }
}

const DEEPEST = 20

/** `value` with each reference replaced by its target. */
function resolved(value: unknown, document: Document, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, document, depth))
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value
  const { $ref } = value as { $ref?: string }
  if ($ref !== undefined) return resolved(targetOf($ref, document), document, depth + 1)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolved(member, document, depth + 1)]),
  )
}

function targetOf(reference: string, document: Document): unknown {
  const names = reference.split('/').slice(1)
  return names.reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], document)
}
