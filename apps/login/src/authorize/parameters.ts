// RFC 6749 section 3.1: parameters of an authorization or end-session request.

/** Request parameters as they came. A parameter without a value counts as not sent. */
export interface RequestParameters {
  get(name: string): string | undefined
  has(name: string): boolean
  /** Names that were sent more than once; such a parameter has no value. */
  readonly repeated: ReadonlySet<string>
  /** Names that hold U+0000, in themselves or in their value; such a parameter has no value. */
  readonly withZeroCharacter: ReadonlySet<string>
  /** The listed ones that were sent. */
  pick(names: readonly string[]): Readonly<Record<string, string>>
}

export function requestParameters(pairs: Iterable<readonly [string, string]>): RequestParameters {
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  const withZeroCharacter = new Set<string>()
  for (const [name, value] of pairs) {
    if (values.has(name)) repeated.add(name)
    if (name.includes('\0') || value.includes('\0')) withZeroCharacter.add(name)
    values.set(name, value)
  }
  const get = (name: string) =>
    repeated.has(name) || withZeroCharacter.has(name) ? undefined : values.get(name) || undefined
  return {
    get,
    has: (name) => get(name) !== undefined,
    repeated,
    withZeroCharacter,
    pick: (names) =>
      Object.fromEntries(
        names.flatMap((name) => {
          const value = get(name)
          return value === undefined ? [] : [[name, value]]
        }),
      ),
  }
}
