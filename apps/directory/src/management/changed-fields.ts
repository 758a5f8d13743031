/**
 * The details of a change in the audit log: the names of the fields, and the state, whose values are an enum.
 */
export function changedFields(changes: object): {
  readonly fields: readonly string[]
  readonly state?: string
} {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  const [, state] = given.find(([name]) => name === 'state') ?? []
  return { fields: given.map(([name]) => name), ...(typeof state === 'string' && { state }) }
}
