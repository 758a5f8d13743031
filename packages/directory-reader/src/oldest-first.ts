/** Of what is held, what goes at once when there is no room: to look for one at a time takes longer than all else. */
const SHARE_THAT_GOES = 1 / 16

interface OldestFirstOptions<Value> {
  /** The most that all values may weigh together. */
  readonly most: number
  readonly weightOf: (value: Value) => number
}

/** Values by key, up to a weight; those that were set first make room for others. */
export class OldestFirst<Value> {
  readonly #options: OldestFirstOptions<Value>
  readonly #values = new Map<string, Value>()
  #weight = 0

  constructor(options: OldestFirstOptions<Value>) {
    this.#options = options
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  /** Makes it the youngest. */
  set(key: string, value: Value): void {
    this.delete(key)
    this.#values.set(key, value)
    this.#weight += this.#options.weightOf(value)
    if (this.#weight > this.#options.most) this.#makeRoom()
  }

  delete(key: string): void {
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#values.delete(key)
    this.#weight -= this.#options.weightOf(value)
  }

  clear(): void {
    this.#values.clear()
    this.#weight = 0
  }

  /** The oldest first. */
  entries(): Iterable<[string, Value]> {
    return this.#values.entries()
  }

  #makeRoom(): void {
    const enough = this.#options.most - Math.floor(this.#options.most * SHARE_THAT_GOES)
    for (const key of this.#values.keys()) {
      if (this.#weight <= enough) return
      this.delete(key)
    }
  }
}
