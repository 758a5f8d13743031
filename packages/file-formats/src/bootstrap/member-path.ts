/** Members whose keys belong to the author of the file. */
const OPAQUE = new Set(['metadata', 'publicKeyJwk'])

export const isOpaque = (key: string): boolean => OPAQUE.has(key)

export const memberPath = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
