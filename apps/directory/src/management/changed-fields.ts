/** What the audit trail tells of a change: the names of the fields, and the state, since its words are ours. */
export function changedFields(changes: object): {
  readonly fields: readonly string[]
  readonly state?: string
} {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  const [, state] = given.find(([name]) => name === 'state') ?? []
  return { fields: given.map(([name]) => name), ...(typeof state === 'string' && { state }) }
}
