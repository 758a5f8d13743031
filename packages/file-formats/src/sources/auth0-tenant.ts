import { type ConvertedPart, checkRecord, type JsonObject } from './conversion.ts'
import type { LeftOut } from './left-out.ts'

/** A tenant of Auth0 during its conversion. */
export interface Tenant {
  readonly organizationId: string
  readonly leftOut: LeftOut
  readonly pkceOptional: boolean
  /** Hashes by the id of the user, without the name of its connection. */
  readonly hashes: Map<string, string>
  readonly roles: Map<string, string[]>
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
