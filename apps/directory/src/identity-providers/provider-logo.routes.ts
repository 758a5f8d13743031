// The pictures on the buttons of identity providers.
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { providerId } from '../api/parameters.ts'
import { managesOrganization, onIdentityProvider } from '../permissions/permission.ts'
import { deleteProviderLogo, setProviderLogo } from './provider-logo.service.ts'
import { logoContent } from './provider-logo.ts'
import { identityProvider, PROVIDER_PATH } from './shown-provider.ts'

/** A PNG image of one pixel. */
const EXAMPLE_LOGO =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const providerLogoOperations = [
  operation({
    id: 'identity_provider.set_logo',
    summary: 'Gives the button of an identity provider a picture',
    description:
      'A PNG, JPEG, WebP or SVG image of at most 32 KiB and 512 pixels, SVG without script and references. The content decides, not a name. Pages have it within a second.',
    method: 'put',
    path: `${PROVIDER_PATH}/logo`,
    parameters: { providerId },
    request: z.strictObject({ content: logoContent.describe('The image in Base64 (RFC 4648 section 4).') }),
    example: { content: EXAMPLE_LOGO },
    response: identityProvider,
    permission: onIdentityProvider(managesOrganization),
    handle: setProviderLogo,
  }),
  operation({
    id: 'identity_provider.delete_logo',
    summary: 'Takes the picture of an identity provider away',
    method: 'delete',
    path: `${PROVIDER_PATH}/logo`,
    parameters: { providerId },
    response: identityProvider,
    permission: onIdentityProvider(managesOrganization),
    handle: deleteProviderLogo,
  }),
]
