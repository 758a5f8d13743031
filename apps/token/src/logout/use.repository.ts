import type { Database } from '@signet/platform/postgres/pool'
import { weeksUntilLongestEnd } from '../partitions/partition-plan.ts'
import { findWeeks } from '../partitions/week-index.ts'

/** The counts of sessions, people and grants under users, applications or organizations. */
export interface Use {
  /** Browser sessions in which an application took part. */
  readonly sessions: number
  readonly users: number
  readonly applications: number
  /** Grants with refresh tokens; of users alone. */
  readonly refreshFamilies: number
  /** There may be more: counting ended at a limit. */
  readonly hasMore: boolean
}

/** `organization`: sessions of its people, and sessions of others at its applications. */
export type UsedKind = 'user' | 'client' | 'organization'

const COLUMNS: Readonly<Record<UsedKind, string>> = {
  user: 'user_id = ANY ($1)',
  client: 'client_id = ANY ($1)',
  organization: '(user_organization_id = ANY ($1) OR client_organization_id = ANY ($1))',
}

const ofClients = (place: string) => `(${place}::text[] = '{}' OR client_id = ANY (${place}))`

/** Rows that one call counts: an administrator has to know whether it is 12 or thousands. */
const MOST = 5_000

/** The objects under which it counts. */
interface Counted {
  readonly ids: readonly string[]
  /** The applications at which it is counted; empty: all. */
  readonly clientIds: readonly string[]
}

interface Row {
  readonly sid: string
  readonly userId: string
  readonly clientId: string
}

/** Counts what would end with users, applications and organizations. */
export class UseStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** A session that was left without a sign-out counts until its latest end. */
  async count(kind: UsedKind, counted: Counted, now: Date): Promise<Use> {
    const { ids } = counted
    const known = kind === 'user' ? await findWeeks(this.#database, 'u', ids, now) : undefined
    const rows: Row[] = []
    // Each statement names one week, because one on all of them would lock every partition.
    for (const week of known?.session_client ?? weeksUntilLongestEnd(now)) {
      if (rows.length >= MOST) break
      rows.push(...(await this.#sessions(kind, counted, { week, limit: MOST - rows.length })))
    }
    const different = (name: keyof Row) => new Set(rows.map((row) => row[name])).size
    const families = known ? await this.#families(counted, known.authorization_grant) : 0
    return {
      sessions: different('sid'),
      users: different('userId'),
      applications: different('clientId'),
      refreshFamilies: families,
      hasMore: Math.max(rows.length, families) >= MOST,
    }
  }

  async #sessions(
    kind: UsedKind,
    { ids, clientIds }: Counted,
    { week, limit }: { readonly week: number; readonly limit: number },
  ): Promise<readonly Row[]> {
    const { rows } = await this.#database.query<Row>({
      // session_client_user, session_client_client, or both indexes of organizations. Not named: there are 59 weeks.
      name: '',
      text: `SELECT sid, user_id AS "userId", client_id AS "clientId" FROM grants.session_client_${week}
              WHERE ${COLUMNS[kind]} AND ${ofClients('$3')} AND ended_at IS NULL LIMIT $2`,
      values: [ids, limit, clientIds],
    })
    return rows
  }

  async #families({ ids, clientIds }: Counted, weeks: readonly number[]): Promise<number> {
    if (weeks.length === 0) return 0
    const { rows } = await this.#database.query<{ count: number }>({
      name: '', // authorization_grant_user; not named, because users have different weeks
      text: `SELECT count(*)::integer AS count FROM (
               SELECT FROM grants.authorization_grant
                WHERE end_week IN (${weeks}) AND user_id = ANY ($1) AND ${ofClients('$3')}
                  AND ended_at IS NULL AND refresh_kid IS NOT NULL
                  AND idle_end > clock_timestamp() AND generation >= (SELECT value FROM grants.generation)
                LIMIT $2) families`,
      values: [ids, MOST, clientIds],
    })
    return rows[0]?.count ?? 0
  }
}
