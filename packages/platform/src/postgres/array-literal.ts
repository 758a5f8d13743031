const QUOTED = /["\\]/g
const MAY_NEED_ESCAPES = /["\\]/

/**
 * The text by which PostgreSQL reads an array of any type (PostgreSQL manual, section 8.15.2), several times faster than
 * the driver makes one. Undefined for an array with other members than strings, numbers, booleans and null.
 */
export function arrayLiteral(members: readonly unknown[]): string | undefined {
  let text = '{'
  for (const member of members) {
    if (text.length > 1) text += ','
    if (typeof member === 'string') {
      text += `"${MAY_NEED_ESCAPES.test(member) ? member.replace(QUOTED, '\\$&') : member}"`
    } else if (member === null || member === undefined) text += 'NULL'
    else if (typeof member === 'number' || typeof member === 'boolean') text += String(member)
    else return undefined
  }
  return `${text}}`
}
