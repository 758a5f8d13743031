const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['drops what the version before may use', /\bDROP\s+(TABLE|COLUMN|VIEW|FUNCTION|SCHEMA|TYPE|TRIGGER)\b/gi],
  ['renames', /\bRENAME\s+(TO|COLUMN|CONSTRAINT)\b/gi],
  ['tightens a column', /\bSET\s+NOT\s+NULL\b/gi],
  ['changes the type of a column', /\bALTER\s+COLUMN\s+\w+\s+(SET\s+DATA\s+)?TYPE\b/gi],
  ['empties a table', /\bTRUNCATE\b/gi],
  [
    'adds a column that the version before does not fill',
    /\bADD\s+COLUMN\s+(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/gi,
  ],
]

/** The first line of a migration that is allowed to take away, with the version from which on it is safe. */
const CONTRACT = /^-- contract: \S.*\n/

/**
 * The objects that a migration removes or tightens, so that the previous version would fail on its schema: one line
 * each. Bodies of functions are left out, they run later.
 */
export function takenAway(sql: string): readonly string[] {
  if (CONTRACT.test(sql)) return []
  const statements = sql.replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''").replaceAll(/--.*$/gm, '')
  return FORBIDDEN.flatMap(([what, pattern]) =>
    [...statements.matchAll(pattern)].map(([found]) => `${what}: ${found.replaceAll(/\s+/g, ' ')}`),
  )
}
