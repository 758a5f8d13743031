import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card } from '../ui/page.tsx'

/** The identities by which a person signs in at identity providers. */
export function IdentityLinks({ userId }: { readonly userId: string }) {
  return (
    <Card title={text('links')}>
      <ApiList<components['schemas']['IdentityLink']>
        label={text('links')}
        path={`/management/v1/users/${encodeURIComponent(userId)}/identity-links`}
        keyOf={({ id }) => id}
        empty={text('links.none')}
        columns={[
          {
            title: text('provider'),
            cell: ({ providerId }) => <ObjectLink kind="identity_provider" id={providerId} />,
          },
          { title: text('link.account'), cell: ({ displayName }) => displayName },
          { title: 'sub', cell: ({ subject }) => <code>{subject}</code> },
          { title: text('created'), cell: ({ createdAt }) => moment(createdAt) },
          { title: text('session.used'), cell: ({ lastUsedAt }) => moment(lastUsedAt ?? undefined) },
          {
            title: text('acts'),
            cell: ({ id }) => (
              <Act
                label={text('delete')}
                className="danger"
                id="identity_link.delete"
                path={{ userId, linkId: id }}
                consequence={text('link.delete.ends')}
              />
            ),
          },
        ]}
      />
      <div className="actions">
        <Act label={text('link.create')} id="identity_link.create" path={{ userId }} />
      </div>
    </Card>
  )
}
