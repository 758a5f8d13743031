/*
 * The forms in which files of deployments hold a place for a value: `${NAME}` and `${NAME:default}` of Keycloak, `$(env:NAME)` of
 * keycloak-config-cli, `##NAME##`, `@@NAME@@` and `{{NAME}}` of the tools of Auth0, where `@@NAME@@` stands for a JSON value,
 * `!Env NAME` of Authentik.
 */
const NAME = '([A-Za-z_][A-Za-z0-9_.-]{0,199})'
const FORMS: readonly { readonly pattern: string; readonly written: (value: string) => string }[] = [
  { pattern: String.raw`\$\{(?:env\.)?${NAME}(?::[^{}"]{0,200})?\}`, written: escaped },
  { pattern: String.raw`\$\((?:env:)?${NAME}(?::-?[^()"]{0,200})?\)`, written: escaped },
  { pattern: `##${NAME}##`, written: escaped },
  { pattern: `!Env[ ]{1,9}${NAME}(?=[ ]*(?:\\r?\\n|[\\],}#]|$))`, written: JSON.stringify },
  { pattern: String.raw`\{\{\s{0,9}${NAME}\s{0,9}\}\}`, written: escaped },
  { pattern: `"@@${NAME}@@"`, written: (value) => (isJson(value) ? value : JSON.stringify(value)) },
  { pattern: `@@${NAME}@@`, written: (value) => (isJson(value) ? value : escaped(value)) },
]
const PLACEHOLDER = new RegExp(FORMS.map(({ pattern }) => pattern).join('|'), 'g')
/** `client_secret: ` or `- ` before a value without quotes, and what may stand behind it. */
const BEFORE_VALUE_OF_YAML = /[:-][ \t]+$/
const AFTER_VALUE_OF_YAML = /^[ \t]*(?:\r?\n|$)/
/** No placeholder is longer. */
const LONGEST = 512

/**
 * The bytes of a file of JSON or YAML with the values of `variables` in the places that have their names. Values are escaped as parts
 * of JSON texts; a place that is a whole value of YAML without quotes becomes one with quotes. A place of another name stays, for the
 * conversion to name it.
 */
export async function* filledIn(
  bytes: AsyncIterable<Buffer>,
  variables: ReadonlyMap<string, string>,
): AsyncGenerator<Buffer> {
  // A character of latin1 is a byte, so chunks may end within a character of UTF-8.
  let text = ''
  for await (const chunk of bytes) {
    text += chunk.toString('latin1')
    const { filled, rest } = fill(text, text.length - LONGEST, variables)
    text = rest
    yield Buffer.from(filled, 'latin1')
  }
  yield Buffer.from(fill(text, text.length, variables).filled, 'latin1')
}

/** Fills in the places that begin before `end`, and returns what comes after them as `rest`. */
function fill(text: string, end: number, variables: ReadonlyMap<string, string>) {
  let filled = ''
  let from = 0
  for (const place of text.matchAll(PLACEHOLDER)) {
    if (place.index >= end) break
    const [whole, ...names] = place
    const form = names.findIndex((name) => name !== undefined)
    const value = variables.get(names[form] ?? '')
    const isWholeValue =
      BEFORE_VALUE_OF_YAML.test(text.slice(Math.max(0, place.index - 10), place.index)) &&
      AFTER_VALUE_OF_YAML.test(text.slice(place.index + whole.length).slice(0, 10))
    const { written = escaped } = FORMS[form] ?? {}
    filled += text.slice(from, place.index)
    filled +=
      value === undefined
        ? whole
        : bytesOf(isWholeValue && written === escaped ? JSON.stringify(value) : written(value))
    from = place.index + whole.length
  }
  const cut = Math.max(from, end, 0)
  return { filled: filled + text.slice(from, cut), rest: text.slice(cut) }
}

function escaped(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

const bytesOf = (value: string) => Buffer.from(value, 'utf8').toString('latin1')
