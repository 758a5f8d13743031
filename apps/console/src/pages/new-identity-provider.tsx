import { useNavigate } from '@tanstack/react-router'
import type { components } from '../api/gen/schema.ts'
import { OperationForm } from '../forms/operation-form.tsx'
import { text } from '../texts/texts.ts'
import { Card, Page } from '../ui/page.tsx'
import { useFilters } from '../ui/search-state.ts'
import { FIELDS_OF_PRESET, isPresetChoice, PRESET_CHOICES } from './identity-provider-presets.ts'
import { redirectUriOf } from './redirect-uri.ts'

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
          <p>{text('provider.redirect.later', { uri: redirectUriOf('ID') })}</p>
          <OperationForm
            key={preset}
            id="identity_provider.create"
            submit={text('provider.create')}
            given={{
              ...(organizationId !== undefined && { organizationId }),
              ...(preset !== 'other' && { preset }),
            }}
            only={[...(organizationId === undefined ? ['organizationId'] : []), ...FIELDS_OF_PRESET[preset]]}
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
