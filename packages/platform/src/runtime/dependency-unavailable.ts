/**
 * Error of a dependency that is away or overloaded: the caller may repeat, nothing was half done. The message names
 * the reason and is for operators, never for clients.
 */
export class DependencyUnavailableError extends Error {
  override readonly name = 'DependencyUnavailableError'
  /** A snake_case label for logs and metrics. */
  readonly dependency: string

  constructor(dependency: string, cause: unknown) {
    super(`${dependency} is unavailable: ${reasonOf(cause)}`, { cause })
    this.dependency = dependency
  }
}

/** A connection refused by every address of a host has a code but no message. */
function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: string; code?: string }
  return message || code || 'unknown reason'
}
