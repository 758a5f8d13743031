import { useNavigate } from '@tanstack/react-router'
import type { components } from '../api/gen/schema.ts'
import { OperationForm } from '../forms/operation-form.tsx'
import { text } from '../texts/texts.ts'
import { Card, Page } from '../ui/page.tsx'
import { useFilters } from '../ui/search-state.ts'
import {
  FIELDS_OF_PRESET,
  isPresetChoice,
  NOT_OF_TYPE,
  PRESET_CHOICES,
  type PresetChoice,
  typeOf,
} from './identity-provider-presets.ts'
import { metadataUrlOf, redirectUriOf } from './redirect-uri.ts'

/** A new identity provider: its kind, then what this kind needs. */
export function NewIdentityProviderPage() {
  const [{ preset, organizationId }, change] = useFilters()
  const navigate = useNavigate()
  return (
    <Page title={text('provider.create')}>
      <div className="grid">
        {PRESET_CHOICES.map((one) => (
          <button
            key={one}
            type="button"
            className={preset === one ? 'card primary' : 'card'}
            aria-pressed={preset === one}
            onClick={() => change({ preset: one })}
          >
            <strong>{text(`provider.preset.${one}`)}</strong>
            <br />
            {text(`provider.preset.${one}.help`)}
          </button>
        ))}
      </div>
      {isPresetChoice(preset) && (
        <Card>
          <p>{adviceOf(preset)}</p>
          <OperationForm
            key={preset}
            id="identity_provider.create"
            submit={text('provider.create')}
            given={{
              ...(organizationId !== undefined && { organizationId }),
              ...membersOf(preset, organizationId),
            }}
            only={[...(organizationId === undefined ? ['organizationId'] : []), ...FIELDS_OF_PRESET[preset]]}
            without={NOT_OF_TYPE[typeOf(preset)]}
            more
            onDone={(answer) => {
              const { id } = answer as components['schemas']['IdentityProvider']
              void navigate({ to: '/identity-providers/$providerId', params: { providerId: id } })
            }}
          />
        </Card>
      )}
    </Page>
  )
}

/** What the other side needs of Signet. */
function adviceOf(preset: PresetChoice): string {
  if (preset === 'ldap') return text('provider.ldap.later')
  return preset === 'saml'
    ? text('provider.saml.later', { url: metadataUrlOf('ID') })
    : text('provider.redirect.later', { uri: redirectUriOf('ID') })
}

/** The members that the choice of a kind sets. The entity id of Signet is a proposal. */
function membersOf(preset: PresetChoice, organizationId: string | undefined) {
  if (preset === 'other') return {}
  const type = typeOf(preset)
  if (type === 'oidc') return { preset }
  if (type !== 'saml') return { type }
  const { origin } = window.location
  return {
    type: 'saml',
    clientId: organizationId === undefined ? origin : `${origin}/saml/${organizationId}`,
  }
}
