/** Cells that a spreadsheet would compute; it shows text behind an apostrophe as it is. */
const FORMULA = /^[=+\-@\t\r]/

const cellOf = (text: string): string => {
  const plain = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Returns rows of text as CSV (RFC 4180). No text becomes a formula, nor does the name of a person. */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')
