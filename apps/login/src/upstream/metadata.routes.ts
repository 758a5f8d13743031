// The metadata of Signet for a SAML provider, whose administrator imports it there (SAML 2.0 Metadata section 4).
import { noStore } from '@signet/http/response-headers'
import { InvalidRequestError } from '@signet/protocol/errors'
import { Router } from 'express'
import { PATHS } from '../pages/paths.ts'
import type { Upstreams } from './upstream.ts'

/** Section 4.1.1 and appendix A. */
const MEDIA_TYPE = 'application/samlmetadata+xml'

/** Answers everyone: it has the entity id and the address of Signet, and no secret. */
export function metadataRoute({
  upstreams,
}: {
  readonly upstreams: Pick<Upstreams, 'findMetadata'>
}): Router {
  return Router().get(PATHS.upstreamMetadata, noStore, async (req, res) => {
    const metadata = await upstreams.findMetadata(String(req.params.providerId))
    if (metadata === undefined) {
      throw new InvalidRequestError('there is nothing at this path', { reason: 'path_unknown', status: 404 })
    }
    res.type(MEDIA_TYPE).send(metadata)
  })
}
