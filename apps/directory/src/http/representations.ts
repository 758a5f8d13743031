import type { Operation } from './operation.ts'

/** The operation that shows what this one changes: If-Match speaks of its answer. */
export function readerOf(operation: Operation, operations: readonly Operation[]): Operation | undefined {
  if (operation.method === 'get' || operation.method === 'post') return undefined
  return operations.find(({ method, path }) => method === 'get' && path === operation.path)
}

/** Whether the answer is one that If-Match may speak of later. */
export function carriesEntityTag({ response }: Operation, operations: readonly Operation[]): boolean {
  return operations.some((other) => {
    const reader = readerOf(other, operations)
    return reader !== undefined && reader.response === response
  })
}
