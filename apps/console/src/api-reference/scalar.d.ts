/** The bundle of `@scalar/api-reference` for browsers, which vite.api-reference.config.ts finds. */
declare module 'scalar-bundle' {
  /** Shows the API reference in an element of the page. */
  export function createApiReference(selector: string, configuration: Readonly<Record<string, unknown>>): void
}
