/*
 * Files that a deployment fills in hold places for values: `${NAME}` of Keycloak, `$(env:NAME)` of keycloak-config-cli,
 * `##NAME##`, `@@NAME@@` and `{{NAME}}` of the tools of Auth0. A text with one is no value. As a secret or password each reader of
 * the file would know it.
 */

const PLACEHOLDER = /\$\{|\$\(|##\w+##|@@\w+@@|\{\{.*\}\}/s

export const PLACEHOLDER_RULE = 'placeholder of the deployment: fill it in first'

export const isPlaceholder = (value: unknown): value is string =>
  typeof value === 'string' && PLACEHOLDER.test(value)

/** Secrets and passwords of samples, also repeated: `change-me-change-me`. */
const SAMPLE =
  /^(?:(?:(?:change|replace)[-_ ]?(?:me|it|this)|your[-_ ](?:client[-_ ])?secret(?:[-_ ]here)?|secret|password|example)[-_ .!]*)+\d{0,4}$/i

export const SAMPLE_RULE = 'known sample: set another one'

export const isSample = (value: string): boolean => SAMPLE.test(value)
