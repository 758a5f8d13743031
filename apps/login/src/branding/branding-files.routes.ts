import { clientAddress } from '@signet/http/request-context'
import type { RequestLimit } from '@signet/http/rate-limit'
import { readBrandingFileName } from '@signet/protocol/branding-files'
import { Router } from 'express'
import { PATHS } from '../pages/paths.ts'
import type { FindBrandingFile } from './find-branding.ts'

/** A file that is opened alone runs no script, loads nothing and has an origin of its own. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/**
 * Serves the logos, icons and fonts of organizations; other names are left to the next route. `limit` counts each request for such
 * a file, since an unknown hash costs a query.
 */
export function brandingFileRoute(findFile: FindBrandingFile, limit: RequestLimit): Router {
  return Router().get(PATHS.asset, async (req, res, next) => {
    const named = readBrandingFileName(req.params.file ?? '')
    if (named !== undefined) limit(clientAddress(req))
    const file = named && (await findFile(named.sha256))
    if (file === undefined || file.mediaType !== named?.mediaType) return next()
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.setHeader('Content-Security-Policy', FILE_POLICY)
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.setHeader('Content-Type', file.mediaType)
    res.send(file.content)
  })
}
