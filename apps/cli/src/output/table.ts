/** Rows as lines whose columns are aligned; the first row is the title. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    [],
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `2030-01-31 12:00:00Z` */
export function moment(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z')
}
