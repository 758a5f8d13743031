import { InvalidRequestError } from '@signet/protocol/errors'
import type { RequestHandler, Router } from 'express'

interface KnownPath {
  readonly matches: (path: string) => boolean
  readonly methods: readonly string[]
}

/** Ends every app: 405 with `Allow` (RFC 9110 section 15.5.6) for a path that has other methods, else 404. */
export function unmatchedRoute(routes: readonly Router[]): RequestHandler {
  const known = routes.flatMap(knownPaths)
  return (req) => {
    const methods = new Set(known.filter(({ matches }) => matches(req.path)).flatMap((path) => path.methods))
    if (methods.size === 0) {
      throw new InvalidRequestError('there is nothing at this path', { reason: 'path_unknown', status: 404 })
    }
    const allowed = [...methods].join(', ')
    throw new InvalidRequestError(`this path answers ${allowed}`, {
      reason: 'method_not_allowed',
      status: 405,
      headers: { Allow: allowed },
    })
  }
}

function knownPaths(router: Router): KnownPath[] {
  return router.stack.flatMap((layer): KnownPath[] => {
    if (layer.route === undefined) return []
    // A handler given to `all()` has no method, although its type has one.
    const methods = layer.route.stack.flatMap(
      ({ method }: { method?: string }) => method?.toUpperCase() ?? [],
    )
    const answered = methods.includes('GET') ? [...methods, 'HEAD'] : methods
    return [layer.route.path].flat().map((path) => ({ matches: pathMatcher(path), methods: answered }))
  })
}

/** `:name` stands for one segment and `*name` for the rest, as in express. */
function pathMatcher(pattern: string): (path: string) => boolean {
  const source = pattern
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/]+')
    .replaceAll(/\*\w+/g, '.+')
  const expression = new RegExp(`^${source}/?$`, 'i')
  return (path) => expression.test(path)
}
