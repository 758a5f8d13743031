import type { ExportedSpan } from './exported-spans.ts'

/** For every span the way to it from `root`, such as `signet-login server GET /ui/login > signet-login client GET`. */
export function tracePaths(spans: readonly ExportedSpan[], root: string): readonly string[] {
  const byId = new Map(spans.map((span) => [span.id, span]))
  const pathOf = ({ service, kind, name, parentId }: ExportedSpan): readonly string[] => {
    const own = `${service} ${kind} ${name}`
    const parent = byId.get(parentId)
    if (parent !== undefined) return [...pathOf(parent), own]
    return parentId === root ? [own] : [`(nothing) > ${own}`]
  }
  return spans.map((span) => pathOf(span).join(' > '))
}
