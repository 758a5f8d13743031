import { useQuery } from '@tanstack/react-query'
import { answerOf, api } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { text } from '../texts/texts.ts'

type IdentityProvider = components['schemas']['IdentityProvider']

/** Whether people may sign in by a provider now, and the setting that says otherwise. */
export function ProviderUse({
  provider: { id, state, organizationId },
}: {
  readonly provider: IdentityProvider
}) {
  const path = { organizationId }
  const { data } = useQuery({
    queryKey: ['provider-use', organizationId],
    queryFn: async () => {
      const [organization, policy] = await Promise.all([
        answerOf(api.GET('/management/v1/organizations/{organizationId}', { params: { path } })),
        answerOf(
          api.GET('/management/v1/organizations/{organizationId}/policies/login', { params: { path } }),
        ),
      ])
      return { organization, effective: policy.effective }
    },
    // The state of the provider is known without them.
    throwOnError: false,
    retry: false,
  })
  if (state !== 'active') return <p className="bad">{text('provider.state.inactive')}</p>
  if (data === undefined) return <p className="quiet">{text('provider.state.active')}</p>
  const { organization, effective } = data
  if (organization.state !== 'active') return <p className="bad">{text('provider.use.organization')}</p>
  if (effective.allowExternalIdp?.value === false) return <p className="bad">{text('provider.use.policy')}</p>
  if (!isListed(id, effective.idps?.value)) return <p className="bad">{text('provider.use.unlisted')}</p>
  return <p className="good">{text('provider.use.usable')}</p>
}

/** An empty list allows each provider of the organization. */
const isListed = (id: string, listed: unknown): boolean =>
  !Array.isArray(listed) || listed.length === 0 || listed.some(({ idpId }) => idpId === id)
