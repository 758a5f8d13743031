import type { Operation } from '../operation.ts'
import type { JsonSchema } from './component-schemas.ts'

/** The body of every error response, docs/spec 5.2. */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['code', 'message', 'details'],
  properties: {
    code: { type: 'integer', description: 'The gRPC code.' },
    message: { type: 'string', description: 'Names the field and the rule, or the role that is missing.' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string', description: 'A label for programs.' },
          field: { type: 'string' },
          rule: { type: 'string' },
          roles: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
}

const CONTENT = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }

export const ERROR_RESPONSES = {
  400: {
    description: 'A field breaks a rule, or the object is not in a state that allows it.',
    content: CONTENT,
  },
  401: {
    description: 'The bearer token is missing, expired or revoked.',
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
    content: CONTENT,
  },
  403: { description: 'The caller lacks a role; the message names those that would do.', content: CONTENT },
  404: { description: 'There is no such object.', content: CONTENT },
  409: { description: 'Something that exists stands in the way.', content: CONTENT },
  412: { description: 'The object has changed since the ETag of If-Match was read.', content: CONTENT },
  422: { description: 'The Idempotency-Key was used for another request.', content: CONTENT },
  503: {
    description: 'Repeat the call in a moment; what it changed may be stored already.',
    headers: { 'Retry-After': { schema: { type: 'integer' } } },
    content: CONTENT,
  },
} as const

export type ErrorStatus = keyof typeof ERROR_RESPONSES

/** The refusals that an operation may answer. */
export function errorStatuses(
  { method, path, creates }: Operation,
  takesIfMatch: boolean,
): readonly ErrorStatus[] {
  return [
    400,
    401,
    403,
    ...(path.includes('{') ? ([404] as const) : []),
    ...(method === 'get' ? [] : ([409] as const)),
    ...(takesIfMatch ? ([412] as const) : []),
    ...(creates ? ([422] as const) : []),
    503,
  ]
}
