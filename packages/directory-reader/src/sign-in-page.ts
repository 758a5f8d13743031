import type { Queryable } from '@signet/platform/postgres/pool'

/** The parts of the sign-in page that the login policy of an organization decides. */
export interface SignInPage {
  /** People may reset their passwords by e-mail: a server can send messages, and the login policy does not hide it. */
  readonly offersReset: boolean
  /** The login name is asked for first, and the password on the next page. */
  readonly identifierFirst: boolean
}

/** Finds the sign-in page of an organization, or of the default one without an id. */
export type FindSignInPage = (organizationId: string | undefined) => Promise<SignInPage>

/** Finds the sign-in page of an organization, or of the default one without an id. Not cached; only login may ask. */
export async function findSignInPage(
  database: Queryable,
  organizationId: string | undefined,
): Promise<SignInPage> {
  const { rows } = await database.query<SignInPage>({
    name: 'directory_reader.sign_in_page', // primary keys
    text: `SELECT r.offered AS "offersReset", p.identifier_first AS "identifierFirst"
             FROM directory_read.password_reset_v1 r JOIN directory_read.sign_in_page_v1 p USING (organization_id)
            WHERE organization_id = coalesce($1::text, (SELECT default_organization_id FROM directory_read.setting_v1))`,
    values: [organizationId ?? null],
  })
  return rows[0] ?? { offersReset: false, identifierFirst: false }
}
