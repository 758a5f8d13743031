import type { z } from 'zod'

/** The names that a schema knows, at every depth; undefined where anything goes. */
export type KnownNames = { readonly [name: string]: KnownNames | undefined } | undefined

interface Inspectable {
  readonly def: {
    readonly type: string
    readonly shape?: Readonly<Record<string, Inspectable>>
    readonly catchall?: unknown
    readonly element?: Inspectable
    readonly innerType?: Inspectable
    readonly out?: Inspectable
  }
}

/** Reads the names out of a schema, once. */
export function knownNames(schema: z.ZodType): KnownNames {
  return namesOf(schema as unknown as Inspectable)
}

function namesOf({ def }: Inspectable): KnownNames {
  if (def.shape !== undefined && def.catchall === undefined) {
    return Object.fromEntries(Object.entries(def.shape).map(([name, member]) => [name, namesOf(member)]))
  }
  const inner = def.element ?? def.innerType ?? def.out
  return inner === undefined ? undefined : namesOf(inner)
}

/**
 * A value with its names in lowerCamelCase at every depth and without unknown members, which `dropped` counts. Throws
 * RangeError with the name when one is given in both spellings.
 */
export function withKnownNames(value: unknown, known: KnownNames, dropped: (name: string) => void): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((element) => withKnownNames(element, known, dropped))
  const members: Record<string, unknown> = {}
  const object = value as Readonly<Record<string, unknown>>
  for (const written in object) {
    const name = written.includes('_') ? camelName(written) : written
    if (known !== undefined && !Object.hasOwn(known, name)) {
      dropped(name)
      continue
    }
    // A member of this name would become the prototype.
    if (name === '__proto__') continue
    if (Object.hasOwn(members, name)) throw new RangeError(name)
    const member = object[written]
    // protojson reads null as absent.
    if (member !== null) members[name] = withKnownNames(member, known?.[name], dropped)
  }
  return members
}

const camelName = (name: string): string =>
  name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
