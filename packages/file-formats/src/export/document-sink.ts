import type { ListName } from './lists.ts'
import type { OrganizationHeader } from './organization-header.ts'
import type { FieldProblem, RecordProblem } from './record-check.ts'

/** Receives the records and organizations of a document, in its order. */
export interface DocumentSink {
  /** A checked record. `organization` is a position, since its id may stand later in the document. */
  record(organization: number, list: ListName, index: number, record: unknown): void
  /** The end of an organization, with its header in the v2 layout. */
  organization(organization: number, header: OrganizationHeader): void
  /** A record, or the fields of an organization, that break a rule. */
  invalid(record: InvalidRecord): void
  /** A member that the format does not name; it is left out. */
  dropped(name: string): void
}

/** A record that breaks a rule. The text may hold secrets. */
export interface InvalidRecord extends Omit<RecordProblem, keyof FieldProblem | 'list'> {
  /** Absent for the fields of an organization. */
  readonly list?: ListName
  /** The id as in `errors` of an import; absent when the record has none. */
  readonly id?: string
  readonly problems: readonly FieldProblem[]
  /** The text of the record, or `{"unreadable": BASE64}` when its bytes are not JSON in UTF-8. */
  readonly text: string
  /** The checked record without its invalid credentials, if no other field is invalid. */
  readonly withoutCredentials?: unknown
}

/** The problems of an invalid record, each with the place of the record. */
export function problemsOf({
  problems,
  organization,
  organizationId,
  list,
  index,
}: InvalidRecord): RecordProblem[] {
  const place = {
    organization,
    ...(organizationId !== undefined && { organizationId }),
    ...(list !== undefined && { list }),
    ...(index !== undefined && { index }),
  }
  return problems.map(({ field, rule }) => ({ ...place, field, rule }))
}
