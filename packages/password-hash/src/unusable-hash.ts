/** A stored hash whose format is not supported or whose cost would hurt the server that verifies it. */
export class UnusableHashError extends Error {
  override readonly name = 'UnusableHashError'
}
