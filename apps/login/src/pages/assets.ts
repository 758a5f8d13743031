import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { InvalidRequestError } from '@signet/protocol/errors'
import { Router } from 'express'
import { PATHS } from './paths.ts'

const OTHER_RELEASE = /^signet-[0-9a-f]{16}\.css$/

/**
 * Serves the stylesheet under a name that contains its hash, cacheable for a year. During a rolling update a page of
 * another release may request another hash: it gets the current stylesheet with `no-store`.
 */
export function assetRoute({ file, content }: Stylesheet): Router {
  return Router().get(PATHS.asset, (req, res) => {
    const requested = req.params.file
    if (requested !== file && !OTHER_RELEASE.test(requested)) {
      throw new InvalidRequestError('there is nothing at this path', { reason: 'path_unknown', status: 404 })
    }
    res.setHeader('Cache-Control', requested === file ? 'public, max-age=31536000, immutable' : 'no-store')
    res.type('css').send(content)
  })
}

/** The stylesheet of all pages, under a name that changes with its content. */
interface Stylesheet {
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
