import { ManagementApiError } from '../api/errors.ts'
import { OPERATIONS } from '../api/gen/operations.ts'
import type { Operation } from '../api/operation.ts'
import type { Suite } from '../api/suite.ts'
import { type RequestInput, request } from './request.ts'

/** The operations that set something as a whole, each with its members that a reading shows. */
export const REPLACING: Readonly<Record<string, (read: Stored) => Stored>> = {
  'login_policy.set': ({ policy, effective }) => ({
    ...(isTrue(Object(effective).allowRegister?.value) && { allowRegister: true }),
    ...Object(policy),
  }),
  ...Object.fromEntries(
    ['lockout', 'password_complexity', 'privacy', 'label', 'domain'].map((kind) => [
      `${kind}_policy.set`,
      ({ policy }: Stored) => Object(policy),
    ]),
  ),
  'message_text.set': ({ texts }) => Object(texts),
  'login_text.set': ({ texts }) => Object(texts),
  'smtp.set': (smtp) => smtp,
  // The other members of this policy stay as they are.
  'security_policy.set': ({ settings }) =>
    Object.fromEntries(
      ['enableImpersonation', 'allowImpersonatedApiCalls']
        .filter((name) => isTrue(Object(settings)[name]))
        .map((name) => [name, true]),
    ),
}

type Stored = Readonly<Record<string, unknown>>

const isTrue = (value: unknown) => value === true

/** The members that have a value now and lose it by a call that sets something as a whole without them. */
export async function membersTakenBack(
  { id }: Operation,
  { params, body }: RequestInput,
  management: Suite['management'],
): Promise<readonly string[]> {
  const storedMembers = REPLACING[id]
  const read = Object.values(OPERATIONS).find((other) => other.id === id.replace(/\.set$/, '.read'))
  if (storedMembers === undefined || read === undefined) return []
  const input = { params: { path: params.path, query: {}, header: {} } }
  const { data } = await request(management, read, input).catch((error: unknown) => {
    if (error instanceof ManagementApiError && error.status === 404) return { data: {} }
    throw error
  })
  const given = new Set(leaves(body))
  return leaves(storedMembers(Object(data))).filter((member) => !given.has(member))
}

/** `loginText.title`: the paths of the values of an object. */
function leaves(value: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path.join('.')]
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]))
}
