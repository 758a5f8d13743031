import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The stylesheet of all pages under a name that changes with its content. */
export interface Stylesheet {
  readonly path: string
  readonly file: string
  readonly content: Buffer
}

/** Reads the file that is shipped beside the compiled sources. */
export function loadStylesheet(): Stylesheet {
  const content = readFileSync(new URL('../../public/signet.css', import.meta.url))
  const file = `signet-${createHash('sha256').update(content).digest('hex').slice(0, 16)}.css`
  return { path: `/ui/assets/${file}`, file, content }
}
