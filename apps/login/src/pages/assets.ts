import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RequestLimit } from '@signet/http/rate-limit'
import { clientAddress } from '@signet/http/request-context'
import { readBrandingFileName } from '@signet/protocol/branding-files'
import { InvalidRequestError } from '@signet/protocol/errors'
import type { PageTheme } from '@signet/protocol/label-colours'
import { Router } from 'express'
import type { FindBrandingFile } from '../branding/find-branding.ts'
import { PATHS } from './paths.ts'

const NAME = /^([a-z-]+)-[0-9a-f]{16}\.(?:css|js)$/

/**
 * Serves the assets under names that contain their hashes, cacheable for a year. During a rolling update a page of
 * another release may request another hash: it gets the current file of that name with `no-store`, the first of several.
 */
export function assetRoute(assets: Assets): Router {
  const all = [
    ...Object.values(assets.stylesheets),
    assets.passkeyScript,
    assets.passwordScript,
    assets.codesScript,
  ]
  return Router().get(PATHS.asset, (req, res) => {
    const requested = req.params.file ?? ''
    const name = NAME.exec(requested)?.[1]
    const asset = all.find(({ file }) => file === requested) ?? all.find((one) => one.name === name)
    if (asset === undefined) {
      throw new InvalidRequestError('there is nothing at this path', { reason: 'path_unknown', status: 404 })
    }
    const isCurrent = requested === asset.file
    res.setHeader('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-store')
    res.type(asset.type).send(asset.content)
  })
}

/** A file of the pages, under a name that changes with its content. */
interface Asset {
  readonly name: string
  readonly type: string
  readonly path: string
  readonly file: string
  readonly content: Buffer
}

interface Assets {
  /**
   * Stylesheets for pages that are light or dark as the browser asks, and for those that always have one scheme. They
   * share a name, so that a release that knows only the first answers with that one.
   */
  readonly stylesheets: Readonly<Record<PageTheme, Asset>>
  /** The library of WebAuthn ceremonies and the script that calls it. */
  readonly passkeyScript: Asset
  /** The script that shows a password. */
  readonly passwordScript: Asset
  /** The script that copies and prints recovery codes. */
  readonly codesScript: Asset
}

/** Reads the files that are shipped beside the compiled sources, and the browser library from its package. */
export function loadAssets(): Assets {
  const own = (name: string) => readFileSync(new URL(`../../public/${name}`, import.meta.url))
  const require = createRequire(import.meta.url)
  const library = require.resolve('@simplewebauthn/browser')
  const umd = readFileSync(new URL('../dist/bundle/index.umd.min.js', `file://${library}`))
  const [light, dark] = [own('signet.css'), own('dark.css')]
  const whereAsked = Buffer.concat([
    Buffer.from('@media (prefers-color-scheme: dark) {\n'),
    dark,
    Buffer.from('}\n'),
  ])
  return {
    stylesheets: {
      auto: asset('signet', 'css', Buffer.concat([light, whereAsked])),
      light: asset('signet', 'css', light),
      dark: asset('signet', 'css', Buffer.concat([light, dark])),
    },
    passkeyScript: asset('passkey', 'js', Buffer.concat([umd, Buffer.from('\n'), own('passkey.js')])),
    passwordScript: asset('show-password', 'js', own('show-password.js')),
    codesScript: asset('recovery-codes', 'js', own('recovery-codes.js')),
  }
}

function asset(name: string, type: string, content: Buffer): Asset {
  const file = `${name}-${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${type}`
  return { name, type, path: `/ui/assets/${file}`, file, content }
}

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
