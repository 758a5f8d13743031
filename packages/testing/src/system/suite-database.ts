import pg from 'pg'
import type { DataDirectory } from './data-directory.ts'

/** Runs one statement on the database of a running suite as superuser: tests need rights that no service has. */
export async function asSuperuser<R extends pg.QueryResultRow>(
  data: DataDirectory,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly R[]> {
  const client = new pg.Client({ connectionString: await data.superuserUrl() })
  await client.connect()
  try {
    return (await client.query<R>(text, [...values])).rows
  } finally {
    await client.end()
  }
}
