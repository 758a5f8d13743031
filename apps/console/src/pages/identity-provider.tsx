import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { answerOf, api } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { Facts, valueText } from '../ui/facts.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'
import { AuditRows } from './audit-rows.tsx'
import { NOT_OF_TYPE } from './identity-provider-presets.ts'
import { OwnKeys } from './own-keys.tsx'
import { ProviderLogo } from './provider-logo.tsx'
import { ProviderTest } from './provider-test.tsx'
import { ProviderUse } from './provider-use.tsx'
import { redirectUriOf } from './redirect-uri.ts'
import { Refusals } from './refusals.tsx'
import { Keys, SamlPartner } from './saml-provider.tsx'

type IdentityProvider = components['schemas']['IdentityProvider']

/** One identity provider: its redirect URI, its settings, its secret and what happened. */
export function IdentityProviderPage() {
  const { providerId = '' } = useParams({ strict: false })
  const provider = useQuery({
    queryKey: ['identity-provider', providerId],
    queryFn: () =>
      answerOf(
        api.GET('/management/v1/identity-providers/{providerId}', { params: { path: { providerId } } }),
      ),
  })
  return (
    <Loaded query={provider} title={text('provider')}>
      {(found) => <Found provider={found} />}
    </Loaded>
  )
}

function Found({ provider }: { readonly provider: IdentityProvider }) {
  const { id, name, organizationId } = provider
  return (
    <Page title={name} actions={<Acts provider={provider} />}>
      <ProviderUse provider={provider} />
      {provider.type === 'saml' ? (
        <SamlPartner provider={provider} />
      ) : provider.type !== 'ldap' ? (
        <Card title={text('provider.redirect')}>
          <p>{text('provider.redirect.help')}</p>
          <Copyable label={text('provider.redirect')} value={redirectUriOf(id)} />
        </Card>
      ) : null}
      <div className="grid">
        <Card title={text('application.settings')}>
          <Settings provider={provider} />
        </Card>
        {provider.type === 'saml' ? <Keys provider={provider} /> : <Secret provider={provider} />}
        {provider.type === 'saml' && <OwnKeys provider={provider} />}
        <ProviderLogo provider={provider} />
      </div>
      <Card title={text('refusals')}>
        <Refusals filter={{ provider: id }} />
      </Card>
      <Card title={text('person.timeline')}>
        <AuditRows
          filter={{ kind: 'changes', organizationId, targetKind: 'identity_provider', targetId: id }}
        />
      </Card>
    </Page>
  )
}

function Acts({ provider }: { readonly provider: IdentityProvider }) {
  const navigate = useNavigate()
  const { id, name, state, organizationId } = provider
  const path = { providerId: id }
  return (
    <>
      <Act
        label={text('edit')}
        className="primary"
        id="identity_provider.update"
        path={path}
        stored={provider}
        replaced={['mappedClaims']}
        without={NOT_OF_TYPE[provider.type]}
      />
      {state === 'active' && <ProviderTest providerId={id} />}
      {state === 'active' ? (
        <Act
          label={text('application.deactivate')}
          id="identity_provider.deactivate"
          path={path}
          consequence={text('provider.deactivate.ends')}
        />
      ) : (
        <Act label={text('application.activate')} id="identity_provider.activate" path={path} />
      )}
      <Act
        label={text('delete')}
        className="danger"
        id="identity_provider.delete"
        path={path}
        consequence={text('provider.delete.ends', { name })}
        confirmation={name}
        onDone={() => void navigate({ to: '/organizations/$organizationId', params: { organizationId } })}
      />
    </>
  )
}

function Settings({ provider }: { readonly provider: IdentityProvider }) {
  const {
    id,
    organizationId,
    name: _,
    hasSecret: _secret,
    logo: _logo,
    createdAt,
    changedAt,
    ...settings
  } = provider
  // Certificates and the public key have cards of their own.
  const cards = ['certificates', 'ownCertificates', 'clientPublicJwk']
  const hidden: readonly string[] = [...NOT_OF_TYPE[provider.type], ...cards]
  return (
    <Facts
      of={[
        ['id', <code key="i">{id}</code>],
        [text('organization'), <ObjectLink key="o" kind="organization" id={organizationId} />],
        [text('created'), moment(createdAt)],
        [text('changed'), moment(changedAt)],
        ...Object.entries(settings)
          .filter(([member]) => member === 'type' || !hidden.includes(member))
          .map(([member, value]) => [member, valueText(value)] as const),
      ]}
    />
  )
}

/** The secret is replaced or taken away, and never shown; of a key the public half is. */
function Secret({ provider }: { readonly provider: IdentityProvider }) {
  const { id, type, hasSecret, clientAuthentication, clientPublicJwk } = provider
  const mayBeWithout = type === 'oidc' && clientAuthentication !== 'apple_client_secret'
  const path = { providerId: id }
  return (
    <Card title={text('provider.secret')}>
      <p>{text(hasSecret ? 'provider.secret.set' : 'provider.secret.none')}</p>
      {clientPublicJwk !== null && (
        <>
          <p>{text('provider.secret.key.help')}</p>
          <Copyable
            label={text('provider.secret.key')}
            value={JSON.stringify({ keys: [clientPublicJwk] }, null, 2)}
          />
        </>
      )}
      <div className="actions">
        <Act
          label={text('provider.secret.replace')}
          id="identity_provider.update"
          path={path}
          stored={{ clientAuthentication }}
          only={hasSecret ? ['clientSecret'] : ['clientSecret', 'clientAuthentication']}
        />
        {hasSecret && mayBeWithout && (
          <Act
            label={text('provider.secret.remove')}
            className="danger"
            id="identity_provider.update"
            path={path}
            stored={{ clientAuthentication }}
            given={{ clientAuthentication: 'none', clientSecret: null }}
            only={[]}
            consequence={text('provider.secret.remove.ends')}
          />
        )}
      </div>
    </Card>
  )
}
