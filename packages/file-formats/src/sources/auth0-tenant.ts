import { type ConvertedPart, checkRecord, type JsonObject } from './conversion.ts'
import type { LeftOut } from './left-out.ts'

/** The membership of a user in an organization of Auth0. */
export interface Membership {
  readonly id?: string | undefined
  readonly name?: string | undefined
  /** The names of the roles that the user has in it. */
  readonly roles?: readonly string[] | undefined
}

/** A tenant of Auth0 during its conversion. */
export interface Tenant {
  readonly organizationId: string
  readonly leftOut: LeftOut
  readonly pkceOptional: boolean
  /** Hashes by the id of the user, without the name of its connection. */
  readonly hashes: Map<string, string>
  readonly roles: Map<string, string[]>
  /** The names of the organizations. */
  readonly organizations: Set<string>
  /** Whether each connection, by its name, became an identity provider that knows people by the subjects of their identities. */
  readonly connections: Map<string, boolean>
  /** The memberships of each user, under its id. */
  readonly memberships: Map<string, Membership[]>
}

/** The record as a part, without members that break a rule; nothing when it has to be left out. */
export function* record(
  list: Extract<ConvertedPart, { kind: 'record' }>['list'],
  value: JsonObject,
  { leftOut }: Tenant,
  example: string,
): Generator<ConvertedPart> {
  const checked = checkRecord(list, value, leftOut, example)
  if (checked !== undefined) yield { kind: 'record', list, record: checked }
}
