type LoadMany<Row> = (ids: readonly string[]) => Promise<readonly Row[]>

/** More than a busy process is asked for in one turn; a query of any size would keep others waiting. */
const MOST_IDS = 200

/**
 * Answers calls for single rows by one query for all calls of one turn of the event loop. Where each request is about
 * another user, the round trips cost a process more than the requests do. Each row is read after its call; a query
 * that fails fails all its callers.
 */
export function inOneQuery<Row>(
  idOf: (row: Row) => string,
  loadMany: LoadMany<Row>,
): (id: string) => Promise<Row | undefined> {
  let gathering: { readonly ids: Set<string>; readonly rows: Promise<ReadonlyMap<string, Row>> } | undefined

  function gather() {
    const ids = new Set<string>()
    const rows = new Promise<ReadonlyMap<string, Row>>((resolve, reject) => {
      setImmediate(() => {
        if (gathering?.ids === ids) gathering = undefined
        loadMany([...ids]).then((found) => resolve(new Map(found.map((row) => [idOf(row), row]))), reject)
      })
    })
    return { ids, rows }
  }

  return async (id) => {
    if (gathering === undefined || gathering.ids.size >= MOST_IDS) gathering = gather()
    gathering.ids.add(id)
    return (await gathering.rows).get(id)
  }
}
