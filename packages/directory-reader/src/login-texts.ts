// The texts of the sign-in pages that organizations replace: the published view login_text_v1.
import type { Queryable } from '@signet/platform/postgres/pool'
import { type LoginTexts, shownLoginTexts } from '@signet/protocol/login-texts'

/** The texts of an organization that its pages show, by language. */
export type TextsByLanguage = Readonly<Record<string, LoginTexts>>

export interface OrganizationTexts {
  readonly organizationId: string
  readonly texts: TextsByLanguage
  /** Of all texts together. */
  readonly characters: number
}

/** Never undefined: an organization without texts has none, which a change of them drops by its id. */
export async function loadLoginTexts(
  database: Queryable,
  organizationId: string,
): Promise<OrganizationTexts> {
  const { rows } = await database.query<{ language: string; texts: Readonly<Record<string, unknown>> }>({
    name: 'directory_reader.login_texts', // primary key
    text: 'SELECT language, texts FROM directory_read.login_text_v1 WHERE organization_id = $1',
    values: [organizationId],
  })
  const texts = Object.fromEntries(rows.map((row) => [row.language, shownLoginTexts(row.texts)]))
  return { organizationId, texts, characters: JSON.stringify(texts).length }
}
