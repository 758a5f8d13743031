import { inspect } from 'node:util'

/** A value that prints as `[secret]` wherever it is printed. `reveal()` is the one way out, and easy to search for. */
export class Secret<T = string> {
  readonly #value: T

  constructor(value: T) {
    this.#value = value
  }

  reveal(): T {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
