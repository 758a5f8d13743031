// Prepares the page of the frame for the bundle of the reference; the frame imports it first.

/**
 * Storage that ends with the page. A document without an origin has no other: reading `localStorage` throws there, and the bundle of
 * the reference reads it.
 */
class MemoryStorage implements Storage {
  readonly #values = new Map<string, string>()

  get length(): number {
    return this.#values.size
  }

  key(at: number): string | null {
    return [...this.#values.keys()][at] ?? null
  }

  getItem(name: string): string | null {
    return this.#values.get(name) ?? null
  }

  setItem(name: string, value: string): void {
    this.#values.set(name, String(value))
  }

  removeItem(name: string): void {
    this.#values.delete(name)
  }

  clear(): void {
    this.#values.clear()
  }
}

for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, { value: new MemoryStorage() })
}

interface Factory {
  createPolicy(name: string, rules: { createHTML(markup: string): string }): unknown
}

// The bundle writes markup, also without a policy of its own. Strings become markup here and never scripts.
const { trustedTypes } = window as { readonly trustedTypes?: Factory }
trustedTypes?.createPolicy('default', { createHTML: (markup) => markup })

// Zod in the bundle would try whether the page may make functions of strings.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
