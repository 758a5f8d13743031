import type { DescribedCall } from '@signet/admin-api/described-call'
import { KEY_CALLS } from '@signet/admin-api/keys-api'
import { MIGRATION_CALLS } from '@signet/admin-api/migration-api'
import { z } from 'zod'
import { LINES, type Operation, readerOf, taggedResponses } from './api/operation.ts'
import { ERROR_RESPONSES, ERROR_SCHEMA, type ErrorStatus } from './openapi-errors.ts'

const DESCRIPTION = `Organizations are administered under \`/management/v1\`, and moved in and out under
\`/admin/v1\`, which needs IAM_OWNER. \`/management/v1/keys\` has the keys of the instance.

Every call needs a bearer token: a personal access token, or an access token whose audience holds the
project \`signet\`. Names of fields are lowerCamelCase; snake_case is read too. Fields that are not known are refused,
under \`/admin/v1\` ignored.

Lists are answered in parts: repeat the call with \`cursor\` set to \`nextCursor\` until there is none.

Creations may carry an \`Idempotency-Key\`: for a day the same request under the same key is answered as the first time.
Changes may carry \`If-Match\` with the \`ETag\` of what was read: if somebody else was faster the answer is 412.`

/** The calls that other services answer. */
const CALLS: readonly DescribedCall[] = [...MIGRATION_CALLS, ...KEY_CALLS]

/** The OpenAPI 3.1 document of operations. */
function openapiDocument(operations: readonly Operation[]) {
  const components = componentSchemas(operations)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method]: describeOperation(operation, operations, components.reference) }
  }
  for (const call of CALLS) {
    paths[call.path] = { ...paths[call.path], [call.method]: describeCall(call, components.reference) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Signet management API', version: '1', description: DESCRIPTION, license: LICENSE },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [...new Set([...operations, ...CALLS].map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { ...components.schemas, Error: ERROR_SCHEMA },
      responses: Object.fromEntries(
        Object.entries(ERROR_RESPONSES).map(([status, response]) => [`Error${status}`, response]),
      ),
    },
  }
}

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

/** The noun of the id. */
function tagOf({ id }: Pick<Operation, 'id'>): string {
  return id.split('.')[0] ?? id
}

function describeOperation(
  operation: Operation,
  operations: readonly Operation[],
  reference: (schema: z.ZodType) => JsonSchema,
) {
  const { id, summary, description, parameters, query, request, response, creates, isLines, example } =
    operation
  const takesIfMatch = readerOf(operation, operations) !== undefined
  const etag = taggedResponses(operations).has(response) && {
    headers: { ETag: { schema: { type: 'string' } } },
  }
  const answer =
    response === undefined
      ? { 204: { description: 'Done.' } }
      : {
          [creates ? 201 : 200]: {
            description: creates ? 'What was created.' : 'What there is now.',
            ...etag,
            content: { [isLines ? LINES : 'application/json']: { schema: reference(response) } },
          },
        }
  const errors = errorStatuses(operation, takesIfMatch).map((status) => [
    status,
    { $ref: `#/components/responses/Error${status}` },
  ])
  return {
    operationId: id,
    tags: [tagOf(operation)],
    summary,
    ...(description !== undefined && { description }),
    parameters: [
      ...parametersOf(parameters, 'path'),
      ...parametersOf(query, 'query'),
      ...(takesIfMatch ? [IF_MATCH] : []),
      ...(creates ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(request !== undefined && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: reference(request), ...(example !== undefined && { example }) },
        },
      },
    }),
    responses: { ...answer, ...Object.fromEntries(errors) },
  }
}

/** A call of another service. */
function describeCall(call: DescribedCall, reference: (schema: z.ZodType) => JsonSchema) {
  const { id, summary, path, query = {}, request, example, responses, refusals } = call
  const jobId = z
    .string()
    .describe('The id of a job.')
    .meta({ examples: ['01JB7Z'] })
  const kid = z
    .string()
    .describe('The id of a key.')
    .meta({ examples: ['k1'] })
  const inPath = { ...(path.includes('{jobId}') && { jobId }), ...(path.includes('{kid}') && { kid }) }
  const answers = Object.entries(responses).map(([status, { description, type, schema }]) => [
    status,
    {
      description,
      content: schema
        ? { 'application/json': { schema: reference(schema) } }
        : { [type ?? '*/*']: { schema: { type: 'string' } } },
    },
  ])
  const errors = refusals.map((status) => [status, { $ref: `#/components/responses/Error${status}` }])
  return {
    operationId: id,
    tags: [tagOf(call)],
    summary,
    parameters: [...parametersOf(z.object(inPath), 'path'), ...parametersOf(z.object(query), 'query')],
    ...(request !== undefined && {
      requestBody: {
        required: id !== 'job.resume',
        content: { 'application/json': { schema: reference(request), example } },
      },
    }),
    responses: { ...Object.fromEntries(answers), ...Object.fromEntries(errors) },
  }
}

function parametersOf({ shape }: z.ZodObject, place: 'path' | 'query') {
  return Object.entries(shape).map(([name, schema]) => {
    const { description, examples } = metadata(schema)
    const [example] = Array.isArray(examples) ? examples : []
    return {
      name,
      in: place,
      required: place === 'path',
      ...(description !== undefined && { description }),
      schema: parameterSchema(schema),
      ...(example !== undefined && { example }),
    }
  })
}

/** The metadata of a schema, also where it is optional. */
function metadata(schema: z.core.$ZodType): z.core.GlobalMeta {
  const own = z.globalRegistry.get(schema) ?? {}
  return schema instanceof z.ZodOptional ? { ...metadata(schema.unwrap()), ...own } : own
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what was read: the change is refused with 412 if it has changed since.',
  schema: { type: 'string' },
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A name for this request, of the choice of the caller: repeated under it, it creates nothing more.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}

/** The document of the management API, as the text of `openapi.json`, which `npm run generate` writes. */
export function openapiText(operations: readonly Operation[]): string {
  return `${JSON.stringify(openapiDocument(operations), null, 2)}\n`
}

export type JsonSchema = Readonly<Record<string, unknown>>

interface ComponentSchemas {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** A reference to one of them. */
  reference(schema: z.ZodType): JsonSchema
}

const REFERENCE = '#/components/schemas/'

/** The bodies of all operations, each under a name: its own, or one made of the operation's id. */
function componentSchemas(operations: readonly Operation[]): ComponentSchemas {
  const registry = z.registry<{ id: string }>()
  const add = (schema: z.ZodType | undefined, otherwise: string) => {
    if (schema === undefined || registry.has(schema)) return
    registry.add(schema, { id: z.globalRegistry.get(schema)?.id ?? otherwise })
  }
  for (const { id, request, response } of operations) {
    add(request, `${pascalCase(id)}Request`)
    add(response, `${pascalCase(id)}Answer`)
  }
  for (const { id, request, responses } of CALLS) {
    add(request, `${pascalCase(id)}Request`)
    for (const { schema } of Object.values(responses)) add(schema, `${pascalCase(id)}Answer`)
  }
  // The side of the wire: a time is text there, and what has a default may be left out.
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `${REFERENCE}${id}`,
    override: legible,
  })
  return {
    schemas: hoisted(schemas),
    reference: (schema) => ({ $ref: `${REFERENCE}${registry.get(schema)?.id}` }),
  }
}

/**
 * zod puts shared schemas without a registered body into `__shared.$defs`; this moves them beside the others.
 */
function hoisted({ __shared: shared, ...schemas }: Readonly<Record<string, JsonSchema>>) {
  const drawer = (shared?.$defs ?? {}) as Readonly<Record<string, JsonSchema>>
  const all = Object.entries({ ...schemas, ...drawer }).map(([id, schema]) => [id, plain(schema)])
  const text = JSON.stringify(Object.fromEntries(all)).replaceAll(`${REFERENCE}__shared#/$defs/`, REFERENCE)
  return JSON.parse(text) as Readonly<Record<string, JsonSchema>>
}

/** The schema of a parameter. */
function parameterSchema(schema: z.core.$ZodType): JsonSchema {
  const { description: _, examples: __, ...rest } = plain(z.toJSONSchema(schema, { io: 'input' }))
  return rest
}

/** A pattern for what the format says already, and a mark that only concerns our own types, help no reader. */
function legible({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
  delete jsonSchema.readOnly
}

/** Removes `$schema` and `$id`. */
function plain({ $schema: _, $id: __, id: ___, ...schema }: JsonSchema): JsonSchema {
  return schema
}

/** `user.set_password`: `UserSetPassword`. */
function pascalCase(id: string): string {
  return id.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The refusals that an operation may answer. */
function errorStatuses({ method, path, creates }: Operation, takesIfMatch: boolean): readonly ErrorStatus[] {
  return [
    400,
    401,
    403,
    ...(path.includes('{') ? ([404] as const) : []),
    ...(method === 'get' ? [] : ([409] as const)),
    ...(takesIfMatch ? ([412] as const) : []),
    ...(creates ? ([422] as const) : []),
    429,
    503,
  ]
}
