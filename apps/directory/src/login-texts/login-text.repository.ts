import type { Queryable } from '@signet/platform/postgres/pool'
import type { LoginTexts } from '@signet/protocol/login-texts'

/** The texts of one language that the sign-in pages of an organization show. */
export interface LoginTextRow {
  readonly organizationId: string
  readonly language: string
  readonly texts: LoginTexts
}

/** Store of login texts. Their record in the export format, with all texts, is in the store of message texts. */
export class LoginTextStore {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async find(organizationId: string, language: string): Promise<LoginTexts | undefined> {
    const { rows } = await this.#database.query<{ texts: LoginTexts }>({
      name: 'login_text.find', // primary key
      text: 'SELECT texts FROM directory.login_text WHERE organization_id = $1 AND language = $2',
      values: [organizationId, language],
    })
    return rows[0]?.texts
  }

  async set(row: LoginTextRow): Promise<void> {
    await writeLoginTexts(this.#database, [row])
  }

  async delete(organizationId: string, language: string): Promise<void> {
    await this.#database.query({
      name: 'login_text.delete', // primary key
      text: 'DELETE FROM directory.login_text WHERE organization_id = $1 AND language = $2',
      values: [organizationId, language],
    })
  }
}

/** Replaces texts. Equal ones stay as they are, so that no cache is dropped for them. */
export async function writeLoginTexts(database: Queryable, rows: readonly LoginTextRow[]): Promise<void> {
  if (rows.length === 0) return
  await database.query({
    name: 'login_text.write', // primary key
    text: `INSERT INTO directory.login_text AS t (organization_id, language, texts)
           SELECT * FROM unnest($1::text[], $2::text[], $3::jsonb[])
               ON CONFLICT (organization_id, language) DO UPDATE SET texts = excluded.texts
            WHERE t.texts <> excluded.texts`,
    values: [
      rows.map(({ organizationId }) => organizationId),
      rows.map(({ language }) => language),
      rows.map(({ texts }) => JSON.stringify(texts)),
    ],
  })
}
