import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { ApiList } from '../ui/list.tsx'
import { Card } from '../ui/page.tsx'
import { Secret } from '../ui/secret.tsx'

/** The initial access tokens by which clients register themselves in a project (RFC 7591). */
export function RegistrationTokens({ projectId }: { readonly projectId: string }) {
  const path = { projectId }
  return (
    <Card title={text('registration_tokens')}>
      <ApiList<components['schemas']['RegistrationToken']>
        label={text('registration_tokens')}
        path={`/management/v1/projects/${encodeURIComponent(projectId)}/registration-tokens`}
        keyOf={({ id }) => id}
        empty={text('registration_tokens.none')}
        columns={[
          { title: 'id', cell: ({ id }) => <code>{id}</code> },
          { title: text('registration_token.hosts'), cell: ({ redirectHosts }) => redirectHosts.join(', ') },
          {
            title: text('registration_token.clients'),
            cell: ({ clients, mostClients }) => text('registration_token.of', { clients, most: mostClients }),
          },
          { title: text('session.expires'), cell: ({ expiresAt }) => moment(expiresAt) },
          {
            title: text('acts'),
            cell: ({ id }) => (
              <Act
                label={text('delete')}
                className="danger"
                id="registration_token.delete"
                path={{ ...path, registrationTokenId: id }}
                consequence={text('registration_token.delete.ends')}
              />
            ),
          },
        ]}
      />
      <div className="actions">
        <Act
          label={text('registration_token.create')}
          id="registration_token.create"
          path={path}
          shown={(answer) => <Secret answer={answer} />}
        />
      </div>
    </Card>
  )
}
