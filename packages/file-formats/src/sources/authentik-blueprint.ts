import {
  type Document,
  isAlias,
  isCollection,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  visit,
} from 'yaml'
import { isObject, type JsonObject, SourceError, type SourceFile } from './conversion.ts'
import { MEBIBYTE } from './json-input.ts'
import { textOf } from './source-text.ts'

const MOST_BYTES = 64 * MEBIBYTE

/** A reference to another entry: `!KeyOf` names it by its `id` in the same file, `!Find` by its model and members. */
class Reference {
  readonly id: string | undefined
  readonly model: string | undefined
  readonly members: JsonObject

  constructor({ id, model, members = {} }: { id?: string; model?: string; members?: JsonObject }) {
    this.id = id
    this.model = model
    this.members = members
  }
}

/** An object of a blueprint; its members are those of `identifiers` and `attrs`. */
export interface BlueprintEntry {
  readonly model: string
  readonly id: string | undefined
  /** The name of the file, in which `id` is its own. */
  readonly file: string
  /** Whether the blueprint deletes the object. */
  readonly isAbsent: boolean
  readonly isConditional: boolean
  readonly members: JsonObject
}

/** The objects of all blueprints of an export. */
export class Blueprint {
  readonly entries: readonly BlueprintEntry[]
  readonly #byKey = new Map<string, BlueprintEntry>()

  constructor(entries: readonly BlueprintEntry[]) {
    this.entries = entries
    for (const entry of entries.filter(({ isAbsent }) => !isAbsent)) {
      if (entry.id !== undefined)
        this.#byKey.set(keyOf(entry.model, 'id', placeOf(entry.file, entry.id)), entry)
      for (const name of ['pk', 'name', 'username', 'slug', 'managed', 'scope_name']) {
        const value = entry.members[name]
        if (typeof value === 'string' || typeof value === 'number')
          this.#byKey.set(keyOf(entry.model, name, value), entry)
      }
    }
  }

  of(model: string): readonly BlueprintEntry[] {
    return this.entries.filter((entry) => entry.model === model && !entry.isAbsent)
  }

  /** The entry that a value refers to: a primary key, as exports have them, or a reference. */
  find(model: string, value: unknown): BlueprintEntry | undefined {
    if (typeof value === 'string' || typeof value === 'number')
      return this.#byKey.get(keyOf(model, 'pk', value))
    if (!(value instanceof Reference)) return undefined
    if (value.id !== undefined) return this.#byKey.get(keyOf(model, 'id', value.id))
    for (const [name, member] of Object.entries(value.members)) {
      const found = this.#byKey.get(keyOf(model, name, member))
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The name that a value tells of an object, whether the blueprint holds the object or not. */
  nameOf(model: string, value: unknown): string | undefined {
    const found = this.find(model, value)?.members ?? (value instanceof Reference ? value.members : {})
    const name = found.name ?? found.managed ?? found.scope_name ?? found.slug
    return typeof name === 'string' ? name : undefined
  }
}

const placeOf = (file: string, id: string) => `${file}\n${id}`

const keyOf = (model: string, name: string, value: unknown) => `${model} ${name} ${String(value)}`

/**
 * Reads the entries of a blueprint, as `ak export_blueprint` and people write them. A tag that only a running Authentik resolves
 * becomes a placeholder. Throws SourceError for a file of another form.
 */
export async function readBlueprint(file: SourceFile): Promise<readonly BlueprintEntry[]> {
  const parsed = parseDocument(await textOf(file, MOST_BYTES), { uniqueKeys: true, logLevel: 'error' })
  const [problem] = parsed.errors
  if (problem !== undefined)
    throw new SourceError(`${file.name} is not YAML: ${problem.message.split('\n')[0]}`)
  const document = resolvedValue(parsed, file)
  const given = isObject(document) ? document.entries : undefined
  const lists = Array.isArray(given) ? [given] : isObject(given) ? Object.values(given) : []
  if (lists.length === 0 || !lists.every(Array.isArray))
    throw new SourceError(`${file.name} is no blueprint of Authentik: it has no entries`)
  return lists.flat().map((entry, at) => entryOf(entry, file.name, `entries[${at}]`))
}

/** Throws SourceError for aliases without an anchor, of a value that has itself in it, or of more values than a file can mean. */
function resolvedValue(parsed: Document, file: SourceFile): unknown {
  let hasAliases = false
  try {
    visit(parsed, {
      Node(_, node) {
        hasAliases ||= isAlias(node)
        const tag = isNode(node) ? node.tag : undefined
        if (tag === undefined || !/^!\w/.test(tag)) return undefined
        const value: unknown = isScalar(node) || isSeq(node) ? node.toJS(parsed) : undefined
        const scalar = new Scalar(untagged(tag.slice(1), value, file))
        if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) scalar.anchor = node.anchor
        return scalar
      },
    })
    const document: unknown = parsed.toJS({ maxAliasCount: 100 })
    if (hasAliases) JSON.stringify(document)
    return document
  } catch (cause) {
    throw new SourceError(`${file.name} has aliases that cannot be followed`, { cause })
  }
}

function untagged(tag: string, value: unknown, file: SourceFile): unknown {
  if (tag === 'KeyOf' && typeof value === 'string') return new Reference({ id: placeOf(file.name, value) })
  if ((tag === 'Find' || tag === 'FindObject') && Array.isArray(value)) {
    const [model, ...conditions] = value as readonly unknown[]
    const pairs = conditions.filter((pair): pair is [string, unknown] => Array.isArray(pair))
    return new Reference({ model: String(model), members: Object.fromEntries(pairs) })
  }
  const [name] = Array.isArray(value) ? value : [value]
  return `\${${tag === 'Env' ? '' : `${tag} `}${typeof name === 'string' ? name : '…'}}`
}

function entryOf(entry: unknown, file: string, place: string): BlueprintEntry {
  if (!isObject(entry) || typeof entry.model !== 'string')
    throw new SourceError(`${file}: ${place} has no model, as the entries of a blueprint do`)
  const { model, id, state, conditions, identifiers, attrs } = entry
  return {
    model: model.toLowerCase(),
    id: typeof id === 'string' ? id : undefined,
    file,
    isAbsent: state === 'absent',
    isConditional: Array.isArray(conditions) && conditions.length > 0,
    members: { ...(isObject(identifiers) && identifiers), ...(isObject(attrs) && attrs) },
  }
}
