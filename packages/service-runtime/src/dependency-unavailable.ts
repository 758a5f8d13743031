/** Something that this process needs is away or overloaded: the caller may repeat, nothing was half done. */
export class DependencyUnavailableError extends Error {
  override readonly name = 'DependencyUnavailableError'
  /** A snake_case label for logs and metrics. */
  readonly dependency: string

  constructor(dependency: string, cause: unknown) {
    super(`${dependency} is unavailable`, { cause })
    this.dependency = dependency
  }
}
