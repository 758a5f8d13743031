/** Hashes that are those of a general format after another beginning. */
const OTHER_BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  // Ory Kratos
  [/^\$md5-crypt\$/, '$$1$$'],
  [/^\$sha256-crypt\$/, '$$5$$'],
  [/^\$sha512-crypt\$/, '$$6$$'],
  [/^\$md5\$(?=[A-Za-z0-9+/]{22}(?:==)?$)/, '$$md5salted-suffix$$$$'],
  // Django
  [/^bcrypt\$(?=\$2)/, ''],
  [/^argon2(?=\$argon2)/, ''],
  // LDAP
  [/^\{CRYPT\}(?=\$(?:1|5|6|2[aby]?)\$)/i, ''],
  [/^\{PBKDF2(?:-SHA1)?\}/i, '$$pbkdf2$$'],
  [/^\{PBKDF2-SHA256\}/i, '$$pbkdf2-sha256$$'],
  [/^\{PBKDF2-SHA512\}/i, '$$pbkdf2-sha512$$'],
]

/** The hash in the spelling of its general format. */
export function withGeneralBeginning(hash: string): string {
  const [beginning, general] = OTHER_BEGINNINGS.find(([pattern]) => pattern.test(hash)) ?? []
  return beginning === undefined || general === undefined ? hash : hash.replace(beginning, general)
}
