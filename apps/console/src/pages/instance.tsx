import { useQuery } from '@tanstack/react-query'
import { answerOf, api, call } from '../api/client.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { Facts, valueText } from '../ui/facts.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'
import { Members } from './members.tsx'

/** Settings of the instance, its administrators and its mail. */
export function InstancePage() {
  const features = useQuery({
    queryKey: ['features'],
    queryFn: () => answerOf(api.GET('/v2/features/instance')),
  })
  const security = useQuery({
    queryKey: ['security'],
    queryFn: async () => (await call({ method: 'GET', path: '/v2/settings/security' })) as object,
  })
  return (
    <Page title={text('instance')}>
      <div className="grid">
        <Card title={text('instance.features')}>
          <Loaded query={features}>{(found) => <Settings of={found} />}</Loaded>
          <Act label={text('edit')} id="features.set" stored={features.data ?? {}} />
        </Card>
        <Card title={text('instance.security')}>
          <Loaded query={security}>{(found) => <Settings of={found} />}</Loaded>
          <Act label={text('edit')} id="security_policy.update" />
        </Card>
        <Card title={text('instance.mail')}>
          <p>{text('instance.mail.help')}</p>
          <Act label={text('instance.mail.test')} id="mail.test" />
        </Card>
      </div>
      <Members level="instance" list="/management/v1/members" />
    </Page>
  )
}

/** The answer without its revision; settings that it holds as one member stand beside the others, and a feature is on or off. */
function Settings({ of }: { readonly of: object }) {
  const { details: _, settings, ...others } = of as Readonly<Record<string, unknown>>
  const members = Object.entries({ ...others, ...(settings as object | undefined) })
  return (
    <Facts of={members.map(([name, value]) => [name, valueText(isFeature(value) ? value.enabled : value)])} />
  )
}

const isFeature = (value: unknown): value is { readonly enabled: boolean } =>
  typeof value === 'object' && value !== null && 'enabled' in value && 'source' in value
