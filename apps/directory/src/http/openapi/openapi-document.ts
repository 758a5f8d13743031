import { z } from 'zod'
import { OPERATIONS } from '../all-operations.ts'
import type { Operation } from '../operation.ts'
import { carriesEntityTag, readerOf } from '../representations.ts'
import { componentSchemas, type JsonSchema, parameterSchema } from './component-schemas.ts'
import { ERROR_RESPONSES, ERROR_SCHEMA, errorStatuses } from './error-responses.ts'

const DESCRIPTION = `Every call needs a bearer token: a personal access token, or an access token whose audience holds the
project \`signet\`. Names of fields are lowerCamelCase; snake_case is read too. Fields that are not known are refused.

Lists are answered in parts: repeat the call with \`cursor\` set to \`nextCursor\` until there is none.

Creations may carry an \`Idempotency-Key\`: for a day the same request under the same key is answered as the first time.
Changes may carry \`If-Match\` with the \`ETag\` of what was read: if somebody else was faster the answer is 412.`

/** The OpenAPI 3.1 document of operations. */
function openapiDocument(operations: readonly Operation[]) {
  const components = componentSchemas(operations)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method]: describeOperation(operation, operations, components.reference) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Signet management API', version: '1', description: DESCRIPTION, license: LICENSE },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
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
function tagOf({ id }: Operation): string {
  return id.split('.')[0] ?? id
}

function describeOperation(
  operation: Operation,
  operations: readonly Operation[],
  reference: (schema: z.ZodType) => JsonSchema,
) {
  const { id, summary, description, parameters, query, request, response, creates, example } = operation
  const takesIfMatch = readerOf(operation, operations) !== undefined
  const etag = carriesEntityTag(operation, operations) && {
    headers: { ETag: { schema: { type: 'string' } } },
  }
  const answer =
    response === undefined
      ? { 204: { description: 'Done.' } }
      : {
          [creates ? 201 : 200]: {
            description: creates ? 'What was created.' : 'What there is now.',
            ...etag,
            content: { 'application/json': { schema: reference(response) } },
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

/** The document of the management API, as the text of `openapi.json`. */
export function openapiText(): string {
  return `${JSON.stringify(openapiDocument(OPERATIONS), null, 2)}\n`
}
