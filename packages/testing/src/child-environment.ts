/**
 * What a process that a test starts is given of this one's environment: where programs are, and where Node.js keeps
 * what it compiled, which saves each process a third of its start.
 */
export function childEnvironment(): { readonly PATH: string; readonly NODE_COMPILE_CACHE?: string } {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}
