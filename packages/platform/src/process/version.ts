import { readFileSync } from 'node:fs'

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')

/** Version of this program: all packages of the repository have the same. */
export const VERSION: string = JSON.parse(manifest).version
