import type { ListName } from '@signet/file-formats/export/lists'
import type { Queryable } from '@signet/platform/postgres/pool'
import { type CarriedSealing, openCarried, replaceCarried } from '../carried/carried.repository.ts'

type Document = Readonly<Record<string, unknown>>

/** The texts that an organization has in the place of defaults: the records of the export format, as imports keep them. */
export class MessageTextStore {
  readonly #database: Queryable
  readonly #sealing: CarriedSealing

  constructor(database: Queryable, sealing: CarriedSealing) {
    this.#database = database
    this.#sealing = sealing
  }

  async find(organizationId: string, list: ListName, language: string): Promise<Document | undefined> {
    const { rows } = await this.#database.query<Parameters<typeof openCarried>[2]>({
      name: 'message_text.find', // primary key
      text: `SELECT list, record_key, sealed_record FROM directory.carried_record
              WHERE organization_id = $1 AND list = $2 AND record_key = $3`,
      values: [organizationId, list, language],
    })
    return rows[0] && openCarried(this.#sealing.masterKeys, organizationId, rows[0])
  }

  async set(organizationId: string, list: ListName, language: string, texts: Document): Promise<void> {
    const row = { organizationId, list, key: language, content: { language, ...texts } }
    await replaceCarried(this.#database, this.#sealing, [row])
  }

  async delete(organizationId: string, list: ListName, language: string): Promise<void> {
    await this.#database.query({
      name: 'message_text.delete', // primary key
      text: `DELETE FROM directory.carried_record WHERE organization_id = $1 AND list = $2 AND record_key = $3`,
      values: [organizationId, list, language],
    })
  }
}
