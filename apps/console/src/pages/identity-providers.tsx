import { Link } from '@tanstack/react-router'
import type { components } from '../api/gen/schema.ts'
import { text } from '../texts/texts.ts'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card } from '../ui/page.tsx'
import { ProviderPicture } from './provider-logo.tsx'

/** The providers by which people of an organization sign in. */
export function IdentityProviders({ organizationId }: { readonly organizationId: string }) {
  return (
    <Card title={text('providers')}>
      <ApiList<components['schemas']['IdentityProvider']>
        label={text('providers')}
        path="/management/v1/identity-providers"
        filter={{ organizationId }}
        keyOf={({ id }) => id}
        empty={text('providers.none')}
        columns={[
          {
            title: text('name'),
            cell: (provider) => (
              <>
                <ProviderPicture provider={provider} />{' '}
                <ObjectLink kind="identity_provider" id={provider.id} name={provider.name} />
              </>
            ),
          },
          { title: text('provider.type'), cell: ({ type }) => text(`provider.type.${type}`) },
          { title: text('provider.issuer'), cell: ({ issuer }) => issuer },
          {
            title: text('provider.use.column'),
            cell: ({ usable }) => text(usable ? 'yes' : 'no'),
          },
          { title: text('provider.last_use'), cell: ({ lastUsedOn }) => lastUsedOn ?? '–' },
        ]}
      />
      <div className="actions">
        <Link to="/identity-providers/new" search={{ organizationId }} className="button">
          {text('provider.create')}
        </Link>
      </div>
    </Card>
  )
}
