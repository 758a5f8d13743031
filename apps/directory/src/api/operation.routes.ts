import { createHash } from 'node:crypto'
import { ApiError } from '@signet/admin-api/api-error'
import type { Attempt, AuditProblems } from '@signet/admin-api/audit/audit-recorder'
import type { AuthenticateBearer } from '@signet/admin-api/authenticate-bearer'
import type { Caller } from '@signet/admin-api/caller'
import { readJsonObject } from '@signet/admin-api/json-body'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { queryParameters } from '@signet/http/forms'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { type Request, type RequestHandler, Router } from 'express'
import { z } from 'zod'
import type { ResourceScope } from '../permissions/permission.ts'
import { requireRoles, requireRolesAnywhere } from '../permissions/require-permission.ts'
import { type SeenObjects, seenObjects } from '../permissions/seen-objects.ts'
import type { Tools } from './management-call.ts'
import { LINES, type Operation, readerOf, taggedResponses } from './operation.ts'
import type {
  IdempotentCall,
  PreparedCall,
  RunnerServices,
  RunnerStores,
  RunOperation,
} from './run-operation.ts'

/** RFC 9110 section 13.1.1: the entity tags of which one must still hold; undefined without the header. */
function ifMatch(req: Request): readonly string[] | undefined {
  const header = req.headers['if-match']
  return header?.split(',').map((tag) => tag.trim())
}

function requireMatch(tags: readonly string[], current: string): void {
  if (tags.includes('*') || tags.includes(current)) return
  throw new ApiError(
    'FAILED_PRECONDITION',
    'the object has changed since it was read; read it again and repeat the change with its new ETag',
    { reason: 'etag_mismatch', status: 412 },
  )
}

const KEY = /^[\x21-\x7E]{1,200}$/

/** The `Idempotency-Key` header, if there is one. */
function idempotencyKey(req: Request): string | undefined {
  const key = req.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && KEY.test(key)) return key
  throw invalidFields([
    { field: 'Idempotency-Key', rule: 'must be given once, with 1 to 200 printable ASCII characters' },
  ])
}

interface Dependencies<Stores extends RunnerStores, Services extends RunnerServices> {
  readonly operations: readonly Operation<Stores, Services>[]
  readonly authenticate: AuthenticateBearer
  readonly auditProblems: AuditProblems
  readonly runOperation: RunOperation<Stores>
  readonly services: Services
}

type Input = Readonly<Record<string, unknown>>

/** Limit of a body, equal to that of the proxies in front (packages/protocol). */
const BODY_LIMIT_BYTES = 1_048_576

/** Lets the error texts distinguish a missing value from one of another type. */
const REPORTING = { reportInput: true }

/** The routes of all operations. */
export function operationRoutes<Stores extends RunnerStores, Services extends RunnerServices>(
  dependencies: Dependencies<Stores, Services>,
): Router {
  // A client resolves `/projects/p/roles/..` to `/projects/p/`, which is not the project.
  const router = Router({ strict: true })
  const tagged = taggedResponses(dependencies.operations)
  for (const operation of dependencies.operations) {
    const pattern = operation.path.replaceAll(/\{(\w+)\}/g, ':$1')
    router[operation.method](
      pattern,
      noStore,
      createOperationRoute(operation, dependencies, tagged.get(operation.response)),
    )
  }
  return router
}

/** An operation with the one that reads its object, when it has an entity tag. */
interface Route<Stores extends RunnerStores, Services extends RunnerServices> {
  readonly operation: Operation<Stores, Services>
  readonly reader: Operation<Stores, Services> | undefined
  readonly services: Services
}

/** A caller and the part of its request that names an object. */
interface Naming {
  readonly caller: Caller
  readonly given: Input
}

function createOperationRoute<Stores extends RunnerStores, Services extends RunnerServices>(
  operation: Operation<Stores, Services>,
  dependencies: Dependencies<Stores, Services>,
  untagged: readonly string[] | undefined,
): RequestHandler {
  const { operations, authenticate, auditProblems, runOperation, services } = dependencies
  const reader = readerOf(operation, operations)
  const route = { operation, reader, services }

  return async (req, res) => {
    const caller = await authenticate(req)
    const parameters = operation.parameters.parse(req.params, REPORTING)
    const attempt: Attempt = {
      caller,
      clientAddress: clientAddress(req),
      action: operation.id,
      isLookUp: operation.method === 'get',
      ...auditTarget(operation, parameters),
    }
    const result = await auditProblems(attempt, async () =>
      runOperation(await prepare(route, req, attempt, parameters)),
    )
    if (operation.response === undefined) {
      res.status(204).end()
      return
    }
    const response = encodeResponse(operation, result)
    if (operation.isLines) {
      const lines = (response as readonly unknown[]).map((line) => `${JSON.stringify(line)}\n`)
      res.type(LINES).send(lines.join(''))
      return
    }
    if (untagged !== undefined) res.setHeader('ETag', entityTag(response, untagged))
    res.status(operation.creates ? 201 : 200).json(response)
  }
}

/** The roles come first: without one, a caller learns nothing about its request, and its body is not looked at. */
async function prepare<Stores extends RunnerStores, Services extends RunnerServices>(
  { operation, reader, services }: Route<Stores, Services>,
  req: Request,
  attempt: Attempt,
  parameters: Input,
): Promise<PreparedCall<Stores>> {
  requireRolesAnywhere(attempt.caller, operation.permission)
  const inUrl = { ...parameters, ...operation.query.parse(queryParameters(req), REPORTING) }
  const scopeInUrl = isScopeInBody(operation)
    ? undefined
    : await findScope(operation, services, { caller: attempt.caller, given: inUrl })
  const body = operation.request && (await readJsonObject(req, bodyLimits(operation)))
  const scope =
    scopeInUrl ?? (await findScopeInBody(operation, services, { caller: attempt.caller, given: body ?? {} }))
  const input = { ...inUrl, ...operation.request?.parse(body, REPORTING) }
  const target = operation.creates
    ? { ...attempt.target, id: createdId(operation, input, services) }
    : attempt.target
  const tags = reader && ifMatch(req)
  return {
    attempt: { ...attempt, target },
    permission: operation.permission,
    scope,
    seen: seenInList(operation, attempt.caller, input),
    input,
    // Set here for all operations, so that a declaration cannot forget it.
    actsOn: operation.method === 'get' ? undefined : (parameters.userId as string | undefined),
    idempotentCall: operation.creates && idempotentCall(operation, req, input),
    requireUnchanged:
      tags &&
      (async (stores) => {
        const { caller, clientAddress } = attempt
        const read = { caller, clientAddress, targetId: target.id ?? '', change: refuseChange }
        const current = await reader.handle(read, parameters, { ...services, stores })
        requireMatch(tags, entityTag(encodeResponse(reader, current), reader.untagged))
      }),
    isRead: operation.method === 'get',
    handle: (call) => operation.handle(call, input, services),
  }
}

/** The objects of a list that names none. */
function seenInList({ permission }: Operation, caller: Caller, input: Input): SeenObjects | undefined {
  const isNamed = permission.field !== undefined && input[permission.field] !== undefined
  return permission.seen === undefined || isNamed ? undefined : seenObjects(caller, permission.seen)
}

/** Finds the scope of the object that a part of the request names; refuses callers without a role there. */
function findScope(
  { permission }: Operation,
  services: RunnerServices,
  { caller, given }: Naming,
): Promise<ResourceScope> {
  return requireRoles(services.stores, caller, {
    permission,
    id: permission.field && given[permission.field],
  })
}

/** The same for a body, of which nothing else is checked. Who holds the role elsewhere hears what is wrong with the id. */
async function findScopeInBody(
  operation: Operation,
  services: RunnerServices,
  naming: Naming,
): Promise<ResourceScope> {
  try {
    return await findScope(operation, services, naming)
  } catch (error) {
    scopeFieldOf(operation).parse(naming.given, REPORTING)
    throw error
  }
}

function bodyLimits({ opaque, mostValues }: Operation) {
  return { limitBytes: BODY_LIMIT_BYTES, opaque, mostValues }
}

/** Whether a member of the body names the object whose scope decides who may call. */
function isScopeInBody({ permission: { field }, parameters, query }: Operation): boolean {
  return field !== undefined && !(field in parameters.shape || field in query.shape)
}

/** The schema of that member alone. */
function scopeFieldOf({ permission: { field = '' }, request }: Operation): z.ZodObject {
  const schema = request instanceof z.ZodObject ? request.shape[field] : undefined
  return z.object(schema === undefined ? {} : { [field]: schema })
}

function refuseChange(): never {
  throw new Error('an operation that shows something changes nothing')
}

function createdId({ target }: Operation, input: Input, { newId }: Pick<Tools, 'newId'>): string {
  const chosen = input[target !== undefined && 'field' in target ? target.field : 'id']
  return typeof chosen === 'string' ? chosen : newId()
}

/**
 * Returns the target for the audit log. By default it is the noun of the operation and the last parameter of its
 * path; the first parameter says what that belongs to.
 */
function auditTarget(
  { id, target, path, creates }: Operation,
  parameters: Input,
): Pick<Attempt, 'target' | 'details'> {
  if (target !== undefined && !('field' in target)) return { target }
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const [noun = ''] = id.split('.')
  const { kind, field } = target ?? { kind: noun, field: creates ? undefined : names.at(-1) }
  const owner = names[0] === field ? undefined : names[0]
  return {
    target: { kind, id: field === undefined ? undefined : (parameters[field] as string | undefined) },
    ...(owner !== undefined && { details: { [snakeCase(owner)]: String(parameters[owner]) } }),
  }
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function idempotentCall(operation: Operation, req: Request, input: Input): IdempotentCall | undefined {
  const key = idempotencyKey(req)
  if (key === undefined) return undefined
  return {
    key,
    requestDigest: createHash('sha256')
      .update(JSON.stringify([operation.id, input]))
      .digest(),
    write: (result) => encodeResponse(operation, result),
    read: (wire) => decodeResponse(operation, wire),
  }
}

/** The response as JSON. Throws for members that the schema does not declare. */
function encodeResponse({ response }: Operation, result: unknown): unknown {
  return response === undefined ? undefined : z.encode(response, result as object)
}

/** Parses the output of `encodeResponse` back into the result of the use case. */
function decodeResponse({ response }: Operation, wire: unknown): unknown {
  return response?.parse(wire)
}

/** RFC 9110 section 8.8.3: the same for the same representation, but for the members that change without the object. */
function entityTag(wire: unknown, untagged: readonly string[] = []): string {
  const tagged =
    untagged.length === 0
      ? wire
      : Object.fromEntries(Object.entries(wire as object).filter(([name]) => !untagged.includes(name)))
  return `"${createHash('sha256').update(JSON.stringify(tagged)).digest('base64url').slice(0, 27)}"`
}
