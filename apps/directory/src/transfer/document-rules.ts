import { type Authority, mayChangeAccount } from '../permissions/authority.ts'
import type { AccountFacts, AuthorityFacts, Ownership } from './authority-facts.repository.ts'
import type { Crossing } from './crossing.ts'
import type { LeftOut } from './record-writer.ts'

/** Records of one list that are about to be written. */
export interface DocumentRecords {
  readonly list: string
  readonly records: readonly unknown[]
  readonly organizationIds: readonly string[]
  /** Indexes of records that create objects, and of records that update them. */
  readonly insert: readonly number[]
  readonly update: readonly number[]
  readonly ownership: ReadonlyMap<string, Ownership>
}

/** Records as far as the document may write them. */
export interface AllowedRecords {
  readonly records: readonly unknown[]
  /** Reasons why records are not written, by index. */
  readonly refused: ReadonlyMap<number, string>
  /** Reasons why records are not written that refer to an object outside of the document, by index. */
  readonly missing: ReadonlyMap<number, string>
  readonly leftOut: readonly LeftOut[]
  /** Indexes of roles and grants that count only when the other side has accepted them. */
  readonly pending: ReadonlySet<number>
  readonly crossings: readonly Crossing[]
  readonly notes: readonly string[]
}

/** The decisions about a group of records, as they are made. */
export class Decisions {
  readonly records: unknown[]
  readonly refused = new Map<number, string>()
  readonly missing = new Map<number, string>()
  readonly leftOut: LeftOut[] = []
  readonly pending = new Set<number>()
  readonly crossings: Crossing[] = []
  readonly notes: string[] = []
  constructor(records: readonly unknown[]) {
    this.records = [...records]
  }
}

/** Decides about the records of one list. */
export type Check<R> = (
  facts: AuthorityFacts,
  group: Omit<DocumentRecords, 'records'> & { readonly records: readonly R[] },
  decisions: Decisions,
) => Promise<void>

/** Returns the reason why nothing is written into an organization. */
export const notNamedRule = (organizationId: string): string =>
  `organization ${organizationId} exists already, and the import does not name it: give its id in org_ids (signet import --into ${organizationId}) to let the document write as an owner of it`

/** The authority of a document, as far as these organizations are its own. */
export function authorityOver(
  organizations: readonly {
    readonly id: string | undefined
    readonly ownership: Ownership | null | undefined
  }[],
): Authority {
  return organizations.flatMap(({ id, ownership }) =>
    id === undefined || ownership === null || ownership === undefined || ownership === 'other'
      ? []
      : [{ role: 'ORG_OWNER', objectId: id, organizationId: id }],
  )
}

/** The authority of a document towards an account: over its home, and wherever it holds a role. */
export const authorityTowards = ({ home, homeOwnership, roles }: AccountFacts): Authority =>
  authorityOver([
    { id: home, ownership: homeOwnership },
    ...roles.map(({ organizationId, ownership }) => ({ id: organizationId, ownership })),
  ])

/** The rule that a change of an account breaks: its roles reach further than the document. */
export function reachRule({ userId, roles }: AccountFacts, authority: Authority): string | undefined {
  if (mayChangeAccount(authority, roles)) return undefined
  const beyond = roles.filter((role) => !mayChangeAccount(authority, [role]))
  const names = [
    ...new Set(
      beyond.map(({ role, objectId }) => (objectId === undefined ? role : `${role} of ${objectId}`)),
    ),
  ]
  return `user ${userId} holds ${names.join(', ')}, which reaches further than this document may: change the account by the management API`
}

/** The indexes of the records that are written. */
export const indexesOf = ({ insert, update }: Pick<DocumentRecords, 'insert' | 'update'>) =>
  [...insert, ...update].sort((one, other) => one - other)
