import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { valueText } from '../ui/facts.tsx'
import { Rows } from '../ui/list.tsx'
import { Card, Loaded } from '../ui/page.tsx'

/** The policies of an organization: the id of their operations, and their part of the path. */
export const POLICIES = [
  { id: 'login_policy', path: 'login' },
  { id: 'lockout_policy', path: 'lockout' },
  { id: 'password_complexity_policy', path: 'password-complexity' },
  { id: 'label_policy', path: 'label' },
  { id: 'privacy_policy', path: 'privacy' },
  { id: 'domain_policy', path: 'domain' },
] as const

interface Props {
  readonly policy: (typeof POLICIES)[number]
  readonly organizationId: string
}

interface StoredPolicy {
  readonly isDefault: boolean
  readonly policy: Readonly<Record<string, unknown>>
  readonly effective: Readonly<Record<string, { readonly value: unknown; readonly source: string }>>
  readonly notObeyed: readonly string[]
}

/** The values of a policy that are in force, and where each comes from. */
export function Policy({ policy, organizationId }: Props) {
  const path = `/management/v1/organizations/${encodeURIComponent(organizationId)}/policies/${policy.path}`
  const stored = useQuery({
    queryKey: ['policy', path],
    queryFn: async () => (await call({ method: 'GET', path })) as StoredPolicy,
  })
  return (
    <Card title={text(`policy.${policy.id}`)}>
      <Loaded query={stored}>
        {({ effective, isDefault, policy: own }) => (
          <>
            <Rows
              label={text(`policy.${policy.id}`)}
              items={Object.entries(effective)}
              keyOf={([member]) => member}
              columns={[
                { title: text('policy.member'), cell: ([member]) => <code>{member}</code> },
                { title: text('policy.value'), cell: ([, { value }]) => valueText(value) },
                {
                  title: text('policy.source'),
                  cell: ([, { source }]) =>
                    text(source === 'organization' ? 'policy.own' : 'policy.of_instance'),
                },
              ]}
            />
            <div className="actions">
              <Act
                label={text('edit')}
                className="primary"
                id={`${policy.id}.update`}
                path={{ organizationId }}
                stored={inForce(effective, own)}
              />
              {!isDefault && (
                <Act
                  label={text('policy.reset')}
                  className="danger"
                  id={`${policy.id}.reset`}
                  path={{ organizationId }}
                />
              )}
            </div>
          </>
        )}
      </Loaded>
    </Card>
  )
}

const inForce = (effective: StoredPolicy['effective'], own: StoredPolicy['policy']) => ({
  ...own,
  ...Object.fromEntries(Object.entries(effective).map(([member, { value }]) => [member, value])),
})
