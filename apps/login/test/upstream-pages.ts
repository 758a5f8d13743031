// The way of a browser to an identity provider and back, for tests.
import { PATHS } from '../src/pages/paths.ts'
import type { PageView, TestBrowser } from './browser.ts'

/** The statement that stores an active OpenID provider. */
export const openIdProvider = (id: string, { organizationId = 'acme', name = id, host = 'idp' } = {}) =>
  `INSERT INTO directory.identity_provider (provider_id, organization_id, name, type, issuer, client_id, client_authentication, scopes, state)
   VALUES ('${id}', '${organizationId}', '${name}', 'oidc', 'https://${host}.localhost', 'signet', 'none', '{openid}', 'active')`

/** The statement that stores an active provider that is a directory. */
export const ldapProvider = (id: string, organizationId: string, name: string) =>
  `INSERT INTO directory.identity_provider (provider_id, organization_id, name, type, issuer, client_id, client_authentication, scopes, state,
                                            servers, base_dn, object_class, name_attributes)
   VALUES ('${id}', '${organizationId}', '${name}', 'ldap', 'dc=corp', 'cn=signet', 'simple_bind', '{}', 'active',
           '{ldaps://ldap.localhost}', 'dc=corp', 'person', '{uid}')`

/** The values of the hidden fields of a part of a page. */
export function hiddenFields(html: string) {
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
  return { request: field('request'), csrf: field('csrf') }
}

/** The hidden fields of the form with the buttons of providers. */
export function providerForm({ body }: PageView) {
  const [, form = ''] =
    /<form method="post" action="\/ui\/login\/identity-provider">([\s\S]*?)<\/form>/.exec(body) ?? []
  return hiddenFields(form)
}

/** Presses the button of a provider. */
export const chooseProvider = (browser: TestBrowser, page: PageView, provider = 'corp') =>
  browser.post(PATHS.upstream, { ...providerForm(page), provider })

/** The `state` of the address that a page leads to. */
export const stateOf = ({ location }: PageView) => new URL(location).searchParams.get('state') ?? ''

/** The address at which a browser comes back from a provider. */
export const callback = (state: string, code = 'alice', provider = 'corp') =>
  `/ui/identity-providers/${provider}/callback?${new URLSearchParams({ state, code })}`

/** The authorization code of the answer that a page leads to. */
export const codeOf = ({ location }: PageView) => new URL(location).searchParams.get('code')
