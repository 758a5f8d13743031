import { ManagementApiError } from '../api/errors.ts'
import { OPERATIONS } from '../api/gen/operations.ts'
import type { Operation } from '../api/operation.ts'
import type { Suite } from '../api/suite.ts'
import { CommandError, UsageError } from '../exit-codes.ts'
import { type Body, type ListChange, valueAt, withValue } from './request-body.ts'

// Calls operations that are chosen at run time, so the types of their input are not checked; the suite checks them.

export interface RequestInput {
  readonly params: Readonly<Record<'path' | 'query' | 'header', Readonly<Record<string, unknown>>>>
  readonly body?: unknown
}

interface Answer {
  readonly data?: unknown
  readonly response: Response
}

export async function request(
  management: Suite['management'],
  { method, path }: Operation,
  input: RequestInput,
): Promise<Answer> {
  const untyped = management.request as unknown as (
    method: string,
    path: string,
    input: RequestInput,
  ) => Promise<Answer>
  return untyped(method, path, input)
}

/** Requests all pages of a list. */
export async function requestAllPages(
  management: Suite['management'],
  operation: Operation,
  { params }: RequestInput,
) {
  const items: unknown[] = []
  let cursor = params.query.cursor
  do {
    const input = { params: { ...params, query: { ...params.query, cursor } } }
    const { data } = await request(management, operation, input)
    const page = data as { readonly items: readonly unknown[]; readonly nextCursor?: string }
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return { items }
}

/** The operation that reads the object of another operation. */
export function readOperationOf({ path }: Operation): Operation | undefined {
  return Object.values(OPERATIONS).find((other) => other.method === 'GET' && other.path === path)
}

const ATTEMPTS = 3
const IF_MATCH = 'If-Match'

/**
 * The operation that reads the lists that the changes are for. Throws UsageError where none reads them, and for a PUT with more
 * fields, which replaces every field, so the stored ones that are not named would be lost.
 */
export function readOperationOfLists(operation: Operation, changes: readonly ListChange[]): Operation {
  const read = readOperationOf(operation)
  const fields = Object.keys(operation.body?.schema.properties ?? {})
  if (read !== undefined && (operation.method === 'PATCH' || fields.length <= 1)) return read
  const [{ field = '', kind = '+=' } = {}] = changes
  throw new UsageError(`--set ${field}${kind}: there is no stored list to change; use ${field}=`)
}

/**
 * Reads the stored lists, changes them and sends the request with the ETag of the read, so that it never overwrites a concurrent
 * change of another caller. After a conflict, reads the lists again, up to three times.
 */
export async function requestListChanges(
  management: Suite['management'],
  operation: Operation,
  input: RequestInput,
  changes: readonly ListChange[],
): Promise<Answer> {
  const read = readOperationOfLists(operation, changes)
  const given = input.params.header[IF_MATCH]
  for (let attempt = 1; ; attempt += 1) {
    const { data, response } = await request(management, read, {
      params: { ...input.params, query: {}, header: {} },
    }).catch(createAbsentHandler(operation))
    const etag = given ?? response?.headers.get('etag') ?? undefined
    const body = changes.reduce(
      (before, change) => withChange(before, data, change),
      Object(input.body) as Body,
    )
    const params = { ...input.params, header: { ...input.params.header, [IF_MATCH]: etag } }
    try {
      return await request(management, operation, { params, body })
    } catch (error) {
      const isChanged = error instanceof ManagementApiError && error.status === 412
      if (!isChanged || given !== undefined || attempt === ATTEMPTS) throw error
    }
  }
}

/** Handles 404 of the read for a PUT, which creates an object that does not exist yet. */
function createAbsentHandler({ method }: Operation) {
  return (error: unknown): { data: undefined; response: undefined } => {
    if (method === 'PUT' && error instanceof ManagementApiError && error.status === 404) {
      return { data: undefined, response: undefined }
    }
    throw error
  }
}

function withChange(body: Body, stored: unknown, { field, kind, entries }: ListChange): Body {
  const path = field.split('.')
  // The reading of a policy shows the value in force of each member, which a first own policy keeps.
  const inForce = valueAt(stored, ['effective', ...path, 'value'])
  const before = (valueAt(body, path) ?? valueAt(stored, path) ?? inForce ?? []) as readonly unknown[]
  if (kind === '+=') {
    return withValue(body, path, [...before, ...entries.filter((entry) => !before.includes(entry))])
  }
  const missing = entries.find((entry) => !before.includes(entry))
  if (missing !== undefined) {
    const there = before.length === 0 ? 'it is empty' : `there are ${before.join(', ')}`
    throw new CommandError('conflict', `--set ${field}-=: ${missing} is not in the list; ${there}`)
  }
  return withValue(
    body,
    path,
    before.filter((entry) => !entries.includes(entry)),
  )
}
