import { parseDocument } from 'yaml'

/** The value that a YAML or JSON text stands for, or its syntax errors with line and column. */
export function parseFileText(
  text: string,
): { readonly document: unknown } | { readonly problems: readonly string[] } {
  const parsed = parseDocument(text, { uniqueKeys: true, prettyErrors: true })
  if (parsed.errors.length === 0) return { document: parsed.toJS({ maxAliasCount: 100 }) ?? {} }
  return { problems: parsed.errors.map(({ message }) => message.split('\n')[0] ?? 'is not YAML') }
}
