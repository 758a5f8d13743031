/** Lets something that pushes feed something that pulls, one value at a time. */
interface HandOver<T> {
  /** Resolves when the value was consumed; rejects when the consumer has left. */
  readonly give: (value: T) => Promise<void>
  readonly end: () => void
  readonly fail: (error: unknown) => void
  /** The consumer takes no further values. */
  readonly leave: () => void
  readonly taken: AsyncIterable<T>
}

type Offer<T> = { readonly value: T } | { readonly end: true } | { readonly error: unknown }

export function createHandOver<T>(): HandOver<T> {
  let offer: Offer<T> | undefined
  let left = false
  let onOffer: (() => void) | undefined
  let onTaken: { resolve(): void; reject(error: Error): void } | undefined

  function put(next: Offer<T>): void {
    offer = next
    onOffer?.()
  }

  async function* take(): AsyncIterable<T> {
    for (;;) {
      if (offer === undefined) await new Promise<void>((resolve) => (onOffer = resolve))
      const current = offer
      if (current === undefined) continue
      if ('end' in current) return
      if ('error' in current) throw current.error
      yield current.value
      // Only now: while a value is being worked on, the next one need not be there yet.
      offer = undefined
      onTaken?.resolve()
    }
  }

  return {
    give: (value) =>
      new Promise((resolve, reject) => {
        if (left) return reject(new Error('nobody takes any more'))
        onTaken = { resolve, reject }
        put({ value })
      }),
    end: () => put({ end: true }),
    fail: (error) => put({ error }),
    leave() {
      left = true
      onTaken?.reject(new Error('nobody takes any more'))
    },
    taken: take(),
  }
}
