/** Markup that is safe to send: it was made by `html`, which escapes every value. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

type Value = string | number | Html | undefined | false | readonly Value[]

/**
 * Builds markup from a template literal. Every interpolated text is escaped for element content and for
 * attributes in double quotes; `Html` is taken as it is, arrays are joined, `undefined` and `false` are nothing.
 * Not for URLs, scripts or unquoted attributes made of foreign text.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Value[]): Html {
  const parts = literals.map((literal, index) => literal + render(values[index]))
  return new Html(parts.join(''))
}

function render(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.markup
  if (Array.isArray(value)) return value.map(render).join('')
  return escapeText(String(value))
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

function escapeText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ESCAPES[character] ?? '')
}
