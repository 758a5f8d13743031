import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import { type ProviderStores, shown } from './change-provider.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { type ProviderLogo, readProviderLogo } from './provider-logo.ts'
import { requireProvider } from './require-provider.ts'

interface Target {
  readonly providerId: string
}

/** Stores a picture whose content obeys the rules; sign-in pages have it within a second. */
export function setProviderLogo(
  call: ManagementCall<ProviderStores>,
  { providerId, content }: Target & { readonly content: string },
  { now }: Pick<Tools, 'now'>,
): Promise<IdentityProvider> {
  const logo = readProviderLogo(content)
  if ('rule' in logo) throw invalidFields([{ field: 'content', rule: logo.rule }])
  return changeLogo(call, providerId, logo, now())
}

/** Takes the picture away; where there is none nothing changes. */
export function deleteProviderLogo(
  call: ManagementCall<ProviderStores>,
  { providerId }: Target,
  { now }: Pick<Tools, 'now'>,
): Promise<IdentityProvider> {
  return changeLogo(call, providerId, null, now())
}

function changeLogo(
  call: ManagementCall<ProviderStores>,
  providerId: string,
  logo: ProviderLogo | null,
  at: Date,
): Promise<IdentityProvider> {
  return call.change(async ({ identityProviders }) => {
    await requireProvider(identityProviders, providerId)
    await identityProviders.setLogo(providerId, logo, at)
    const result = shown(await requireProvider(identityProviders, providerId))
    return {
      result,
      details: { media_type: result.logo?.mediaType ?? '', sha256: result.logo?.sha256 ?? '' },
    }
  })
}
