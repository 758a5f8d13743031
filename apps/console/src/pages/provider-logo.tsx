import { brandingFilePath } from '@signet/protocol/branding-files'
import { useState } from 'react'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { Card } from '../ui/page.tsx'
import { Logo } from './branding-fields.tsx'

type IdentityProvider = components['schemas']['IdentityProvider']

/** The picture of a provider; without one nothing. */
export function ProviderPicture({
  provider: { logo },
}: {
  readonly provider: Pick<IdentityProvider, 'logo'>
}) {
  return logo && <img className="provider-logo" src={brandingFilePath(logo)} alt="" />
}

/** The picture of the button on the sign-in page, to replace and to take away. */
export function ProviderLogo({ provider }: { readonly provider: IdentityProvider }) {
  const [content, setContent] = useState<string>()
  const path = { providerId: provider.id }
  return (
    <Card title={text('provider.logo')}>
      <p>{provider.logo ? <ProviderPicture provider={provider} /> : text('provider.logo.none')}</p>
      <Logo onChange={setContent} />
      <div className="actions">
        {content !== undefined && (
          <Act
            label={text('provider.logo.save')}
            id="identity_provider.set_logo"
            path={path}
            given={{ content }}
            only={[]}
          />
        )}
        {provider.logo && (
          <Act label={text('provider.logo.delete')} id="identity_provider.delete_logo" path={path} />
        )}
      </div>
    </Card>
  )
}
