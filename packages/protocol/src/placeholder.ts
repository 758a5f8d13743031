/*
 * Files that a deployment fills in hold places for values: `${NAME}` of Keycloak, `$(env:NAME)` of keycloak-config-cli,
 * `##NAME##`, `@@NAME@@` and `{{NAME}}` of the tools of Auth0. A text with one is no value. As a secret or password each reader of
 * the file would know it.
 */

const PLACEHOLDER = /\$\{|\$\(|##\w+##|@@\w+@@|\{\{.*\}\}/s

export const PLACEHOLDER_RULE = 'placeholder of the deployment: fill it in first'

export const isPlaceholder = (value: unknown): value is string =>
  typeof value === 'string' && PLACEHOLDER.test(value)

/** The rule that a text with a placeholder breaks. */
export const placeholderProblem = (text: string): string | undefined =>
  isPlaceholder(text) ? `is a ${PLACEHOLDER_RULE}` : undefined

/** The names that texts of messages may hold as `{{.Name}}` or `{{Name}}`. */
export const MESSAGE_VARIABLES = [
  'Code',
  'DisplayName',
  'FirstName',
  'LastEmail',
  'LastName',
  'NickName',
  'PreferredLoginName',
  'Time',
  'UserName',
] as const

/** Variables of messages, and with a dot also those of other products: `{{.Lang}}`, `{{.OTP}}`. */
const VARIABLE = new RegExp(String.raw`\{\{\s*(?:\.\w+|${MESSAGE_VARIABLES.join('|')})\s*\}\}`, 'g')

/** The text without the variables that pages and mails fill in. */
export const withoutVariables = (text: string): string => text.replace(VARIABLE, '')

export type ValuePath = readonly (string | number)[]

/**
 * The places of a JSON value that hold a placeholder, as names of members and indexes; `textOf` returns the part of a text that
 * is looked at. A member whose name is a placeholder is such a place, too.
 */
export function placeholderPaths(
  value: unknown,
  textOf: (text: string, path: ValuePath) => string = (text) => text,
  path: ValuePath = [],
): readonly ValuePath[] {
  if (typeof value === 'string') return isPlaceholder(textOf(value, path)) ? [path] : []
  if (Array.isArray(value))
    return value.flatMap((entry, at) => placeholderPaths(entry, textOf, [...path, at]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    isPlaceholder(name) ? [[...path, name]] : placeholderPaths(member, textOf, [...path, name]),
  )
}

/** Secrets and passwords of samples, also repeated: `change-me-change-me`; and the mask of an export. */
const SAMPLE =
  /^(?:\*+|(?:(?:(?:change|replace)[-_ ]?(?:me|it|this)|your[-_ ](?:client[-_ ])?secret(?:[-_ ]here)?|secret|password|example)[-_ .!]*)+\d{0,4})$/i

export const SAMPLE_RULE = 'known sample: set another one'

export const isSample = (value: string): boolean => SAMPLE.test(value)

/** The rule that a secret or password of a file breaks when each reader of the file knows it. */
export const fileSecretProblem = (secret: string): string | undefined =>
  placeholderProblem(secret) ?? (isSample(secret) ? `is a ${SAMPLE_RULE}` : undefined)
