import { ManagementApiError } from '../api/errors.ts'
import { OPERATIONS } from '../api/gen/operations.ts'
import type { Operation } from '../api/operation.ts'
import type { Suite } from '../api/suite.ts'
import { type RequestInput, request } from './request.ts'
import { valueAt } from './request-body.ts'

/** The members that have a value now, and those that a call without them gets. */
interface Replaced {
  readonly stored: Stored
  /** A member that is not in it gets no value, or `otherwise`. */
  readonly defaults?: Stored
  readonly otherwise?: string
}

/** The operations that set something as a whole, each with what a reading shows of it. */
export const REPLACING: Readonly<Record<string, (read: Stored) => Replaced>> = {
  'login_policy.set': ({ policy, effective, defaults }) => ({
    stored: {
      ...(isTrue(Object(effective).allowRegister?.value) && { allowRegister: true }),
      ...Object(policy),
    },
    defaults: Object(defaults),
  }),
  ...Object.fromEntries(
    ['lockout', 'password_complexity', 'privacy', 'label', 'domain'].map((kind) => [
      `${kind}_policy.set`,
      ({ policy, defaults }: Stored) => ({ stored: Object(policy), defaults: Object(defaults) }),
    ]),
  ),
  'message_text.set': ({ texts }) => ({ stored: Object(texts), otherwise: 'the default' }),
  'login_text.set': ({ texts }) => ({ stored: Object(texts), otherwise: 'the default' }),
  'smtp.set': (smtp) => ({ stored: smtp }),
  // The other members of this policy stay as they are.
  'security_policy.set': ({ settings }) => {
    const members = ['enableImpersonation', 'allowImpersonatedApiCalls']
    const stored = members.filter((name) => isTrue(Object(settings)[name])).map((name) => [name, true])
    return { stored: Object.fromEntries(stored), otherwise: 'false' }
  },
}

type Stored = Readonly<Record<string, unknown>>

const isTrue = (value: unknown) => value === true

/**
 * The members that have a value now and lose it by a call that sets something as a whole without them, each with the old and
 * the new value: `forceMfa true -> false`. A member whose default is its value loses nothing.
 */
export async function membersTakenBack(
  { id }: Operation,
  { params, body }: RequestInput,
  management: Suite['management'],
): Promise<readonly string[]> {
  const replacedBy = REPLACING[id]
  const read = Object.values(OPERATIONS).find((other) => other.id === id.replace(/\.set$/, '.read'))
  if (replacedBy === undefined || read === undefined) return []
  const input = { params: { path: params.path, query: {}, header: {} } }
  const { data } = await request(management, read, input).catch((error: unknown) => {
    if (error instanceof ManagementApiError && error.status === 404) return { data: {} }
    throw error
  })
  const { stored, defaults = {}, otherwise = 'none' } = replacedBy(Object(data))
  const given = new Set(leaves(body).map((path) => path.join('.')))
  return leaves(stored).flatMap((path) => {
    if (given.has(path.join('.'))) return []
    const [before, after] = [shown(valueAt(stored, path)), shown(valueAt(defaults, path) ?? undefined)]
    return before === after ? [] : [`${path.join('.')} ${before} -> ${after ?? otherwise}`]
  })
}

const LONGEST_SHOWN = 60

/** Undefined for no value. */
function shown(value: unknown): string | undefined {
  const text = JSON.stringify(value)
  return text !== undefined && text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

/** The paths of the values of an object. */
function leaves(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]))
}
