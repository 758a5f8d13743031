import pg from 'pg'

/** Connects to `url` for as long as `work` takes. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The names of databases that one run makes; they begin alike so that the run can remove them all. */
export const databaseName = {
  template: (runId: string, contentHash: string) => `signet_run_${runId}_template_${contentHash}`,
  test: (runId: string, id: string) => `signet_run_${runId}_test_${id}`,
}

/** Drops every database that the run created and that still exists. */
export async function dropDatabasesOfRun(url: string, runId: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [`signet_run_${runId}_`],
    )
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
  })
}
