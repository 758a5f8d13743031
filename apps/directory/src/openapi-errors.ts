// The error responses of the OpenAPI document.

/** The body of every error response, docs/spec 5.2. */
export const ERROR_SCHEMA = {
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
          count: { type: 'integer', description: 'How many more problems there are.' },
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
  410: { description: 'The records of the job are deleted.', content: CONTENT },
  412: { description: 'The object has changed since the ETag of If-Match was read.', content: CONTENT },
  413: { description: 'The body is too large.', content: CONTENT },
  422: { description: 'The Idempotency-Key was used for another request.', content: CONTENT },
  429: {
    description: 'A limit is reached, of calls in a second or the one that the message names.',
    headers: { 'Retry-After': { schema: { type: 'integer' } } },
    content: CONTENT,
  },
  503: {
    description: 'Repeat the call in a moment; what it changed may be stored already.',
    headers: { 'Retry-After': { schema: { type: 'integer' } } },
    content: CONTENT,
  },
  504: { description: 'The job took longer than its timeout; it can be resumed.', content: CONTENT },
} as const

export type ErrorStatus = keyof typeof ERROR_RESPONSES
