interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

/** Every member that a JSON schema has, as paths such as `users.profile.givenName`. */
export function knownMembers(
  { properties = {}, items, anyOf = [] }: JsonSchema,
  path = '',
): readonly string[] {
  const below = [...(items ? [items] : []), ...anyOf].flatMap((schema) => knownMembers(schema, path))
  const own = Object.entries(properties).flatMap(([name, schema]) => {
    const member = path === '' ? name : `${path}.${name}`
    return [member, ...knownMembers(schema, member)]
  })
  return [...new Set([...below, ...own])]
}

/** The members that a value has, as the same paths. */
export function usedMembers(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((element) => usedMembers(element, path))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const memberPath = path === '' ? name : `${path}.${name}`
    return member === undefined ? [] : [memberPath, ...usedMembers(member, memberPath)]
  })
}
