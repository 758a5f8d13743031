import { OPERATIONS } from './gen/operations.ts'
import type { operations } from './gen/schema.ts'
import type { Operation, OperationParameter } from './operation.ts'
import type { SuiteCaller } from './suite-caller.ts'

export type OperationId = keyof operations

/** The member `Key` of `T` under another name, as optional as it was there; none when it is never given. */
type Part<Name extends string, T, Key extends keyof T> = [Exclude<T[Key], undefined>] extends [never]
  ? { readonly [K in Name]?: never }
  : object extends Pick<T, Key>
    ? { readonly [K in Name]?: Exclude<T[Key], undefined> }
    : { readonly [K in Name]: T[Key] }

type ParametersOf<Id extends OperationId> = operations[Id]['parameters']
type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } }
}
  ? { readonly body: Body }
  : { readonly body?: never }

/** What an operation is given. `headers` may have Idempotency-Key or If-Match. */
export type OperationInput<Id extends OperationId> = Part<'path', ParametersOf<Id>, 'path'> &
  Part<'query', ParametersOf<Id>, 'query'> &
  Part<'headers', ParametersOf<Id>, 'header'> &
  BodyOf<Id>

type ContentOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined

/** The body of the answer; undefined when there is none. */
export type OperationAnswer<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses'] & (200 | 201 | 204)]: ContentOf<
    operations[Id]['responses'][Status]
  >
}[keyof operations[Id]['responses'] & (200 | 201 | 204)]

export interface OperationResult<Answer> {
  readonly body: Answer
  /** For If-Match of a change. */
  readonly etag: string | undefined
  /** Names the request in the logs of the suite. */
  readonly requestId: string | undefined
}

/** What an operation is given when its id is known at run time only. The suite checks it. */
export interface UntypedInput {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/**
 * The operations of the management API. A creation gets an Idempotency-Key unless it has one, so that it is repeated
 * without making two objects when an answer is lost. Rejects as `SuiteCaller` does.
 */
export interface ManagementClient {
  call<Id extends OperationId>(
    id: Id,
    input: OperationInput<Id>,
  ): Promise<OperationResult<OperationAnswer<Id>>>
  request(operation: Operation, input: UntypedInput): Promise<OperationResult<unknown>>
}

const IDEMPOTENCY_KEY = 'Idempotency-Key'

export function managementClient({
  call,
  randomId,
}: {
  readonly call: SuiteCaller
  readonly randomId: () => string
}): ManagementClient {
  async function request(operation: Operation, input: UntypedInput): Promise<OperationResult<unknown>> {
    const { method, parameters } = operation
    const keyed = parameters.some(({ name }) => name === IDEMPOTENCY_KEY)
    const response = await call({
      method,
      path: pathOf(operation, input),
      headers: {
        ...(keyed && { [IDEMPOTENCY_KEY]: randomId() }),
        ...textsOf(parameters, 'header', input.headers),
      },
      body: input.body,
      repeatable: keyed || method === 'GET',
    })
    const text = await response.text()
    return {
      body: text === '' ? undefined : JSON.parse(text),
      etag: response.headers.get('etag') ?? undefined,
      requestId: response.headers.get('x-request-id') ?? undefined,
    }
  }
  return {
    request,
    call: <Id extends OperationId>(id: Id, input: OperationInput<Id>) =>
      request(OPERATIONS[id], input as UntypedInput) as Promise<OperationResult<OperationAnswer<Id>>>,
  }
}

function pathOf({ path, parameters }: Operation, input: UntypedInput): string {
  const values = textsOf(parameters, 'path', input.path)
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const query = new URLSearchParams(textsOf(parameters, 'query', input.query)).toString()
  return query === '' ? filled : `${filled}?${query}`
}

/** Only what the operation knows is sent, and what is undefined is left out. */
function textsOf(
  parameters: readonly OperationParameter[],
  place: OperationParameter['in'],
  values: Readonly<Record<string, unknown>> = {},
): Record<string, string> {
  return Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === place && values[parameter.name] !== undefined)
      .map(({ name }) => [name, String(values[name])]),
  )
}
