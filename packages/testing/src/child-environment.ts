/**
 * The part of this environment that a child process of a test gets: where programs are, and where Node.js keeps its
 * compile cache, which saves each process a third of its start.
 */
export function childEnvironment(): { readonly PATH: string; readonly NODE_COMPILE_CACHE?: string } {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}
