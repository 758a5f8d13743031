import { BRANDING_MEDIA_TYPES } from '@signet/protocol/branding-files'
import { PROVIDER_TYPES } from '@signet/protocol/identity-provider-types'
import { z } from 'zod'
import { timestamp } from '../api/parameters.ts'
import { preset, shownMembers } from './identity-provider.schema.ts'

/** The path of the identity providers in the management API. */
export const PROVIDERS_PATH = '/management/v1/identity-providers'
export const PROVIDER_PATH = `${PROVIDERS_PATH}/{providerId}`

/** An identity provider in responses of the management API. */
export const identityProvider = z
  .strictObject({
    id: z.string(),
    organizationId: z.string(),
    type: z.enum(PROVIDER_TYPES),
    preset: preset.nullable(),
    ...shownMembers,
    hasSecret: z.boolean(),
    ownCertificates: z
      .array(z.string())
      .readonly()
      .describe('The certificates of the keys of Signet at a SAML provider, in base64, the oldest first.'),
    logo: z
      .strictObject({
        mediaType: z.enum(Object.values(BRANDING_MEDIA_TYPES)),
        sha256: z.string().describe('Of the content, in hexadecimal digits.'),
      })
      .nullable()
      .describe('The picture of the button on the sign-in page. Null: it has none.'),
    state: z.enum(['active', 'inactive']),
    usable: z
      .boolean()
      .describe(
        'Whether people may sign in by it: state, its organization and the login policy of that decide.',
      ),
    lastUsedOn: z.iso
      .date()
      .nullable()
      .describe(
        'The day (UTC) of the latest sign-in by it, known after a minute. Null: none since it was added.',
      ),
    createdAt: timestamp,
    changedAt: timestamp,
  })
  .meta({ id: 'IdentityProvider' })
