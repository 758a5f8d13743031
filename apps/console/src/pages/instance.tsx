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

const Settings = ({ of }: { readonly of: object }) => (
  <Facts of={Object.entries(of).map(([name, value]) => [name, valueText(value)])} />
)
