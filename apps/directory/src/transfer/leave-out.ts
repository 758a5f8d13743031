/** By member, the rule that its text, or each text of its list, may break. */
export type PartRules = Readonly<Record<string, (value: string) => string | undefined>>

interface Problem {
  readonly field: string
  readonly rule: string
}

/** An object without the members and list entries that break a rule, and what was left out. */
export function leaveOut<T extends object>(
  object: T,
  rules: PartRules,
): { readonly kept: T; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const obeys = (field: string, value: unknown, ruleOf: PartRules[string]): boolean => {
    const rule = typeof value === 'string' ? ruleOf(value) : undefined
    if (rule !== undefined) problems.push({ field, rule })
    return rule === undefined
  }
  const kept = Object.entries(object).flatMap(([member, value]: [string, unknown]) => {
    const ruleOf = rules[member]
    if (ruleOf === undefined) return [[member, value]]
    if (Array.isArray(value))
      return [[member, value.filter((entry, at) => obeys(`${member}[${at}]`, entry, ruleOf))]]
    return obeys(member, value, ruleOf) ? [[member, value]] : []
  })
  return { kept: problems.length === 0 ? object : (Object.fromEntries(kept) as T), problems }
}
