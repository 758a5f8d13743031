import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import type { LeftOutValue } from '@signet/file-formats/sources/left-out'
import type { Database } from '@signet/platform/postgres/pool'
import type { StagedSealer } from '../sealing.ts'
import type { ConversionList } from './conversion-list.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const PARTS = ['others', 'people'] as const
type Part = (typeof PARTS)[number]

const partOf = ({ about }: LeftOutValue): Part => (about === 'person' ? 'people' : 'others')

/** The place that a part of a list is sealed for. */
export const leftOutPlace = (jobId: string, part: string): string => `left_out ${jobId} ${part}`

/** The lists of conversions, each beside its job. */
export class LeftOutListRepository {
  readonly #database: Database
  readonly #sealer: StagedSealer

  constructor(database: Database, sealer: StagedSealer) {
    this.#database = database
    this.#sealer = sealer
  }

  /** Replaces the list of a job. Entries about people are dropped when a person of the import was deleted since. */
  async store(jobId: string, { entries, omitted }: ConversionList): Promise<void> {
    const rows = await Promise.all(
      PARTS.map(async (part) => {
        const plain = Buffer.from(JSON.stringify(entries.filter((entry) => partOf(entry) === part)))
        const sealed = this.#sealer.seal(await compress(plain), leftOutPlace(jobId, part))
        return { part, sealed: sealed.toString('base64'), omitted: part === 'others' ? omitted : 0 }
      }),
    )
    await this.#database.query({
      name: 'left_out.store', // primary keys
      text: `INSERT INTO migration.left_out (job_id, part, sealed, omitted)
             SELECT job_id, part, decode(sealed, 'base64'), omitted
               FROM migration.job, json_to_recordset($2::json) AS r (part text, sealed text, omitted integer)
              WHERE job_id = $1
                AND (part <> 'people'
                     OR NOT EXISTS (SELECT FROM migration.staged_batch b WHERE b.job_id = $1 AND '(deleted)' = ANY (b.ids)))
                 ON CONFLICT (job_id, part) DO UPDATE SET sealed = excluded.sealed, omitted = excluded.omitted`,
      values: [jobId, JSON.stringify(rows)],
    })
  }

  async find(jobId: string): Promise<ConversionList> {
    const { rows } = await this.#database.query<{ part: Part; sealed: Buffer; omitted: number }>({
      name: 'left_out.find', // primary key
      text: 'SELECT part, sealed, omitted FROM migration.left_out WHERE job_id = $1 ORDER BY part',
      values: [jobId],
    })
    const entries: LeftOutValue[] = []
    for (const { part, sealed } of rows) {
      const plain = await decompress(this.#sealer.open(sealed, leftOutPlace(jobId, part)))
      entries.push(...(JSON.parse(plain.toString('utf8')) as readonly LeftOutValue[]))
    }
    return { entries, omitted: rows.reduce((sum, { omitted }) => sum + omitted, 0) }
  }
}
