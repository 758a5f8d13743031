import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { ApiList } from '../ui/list.tsx'

/** The issuers whose assertions a service user or an application authenticates with. */
export function TrustedIssuers({
  owner,
}: {
  readonly owner: { readonly userId: string } | { readonly applicationId: string }
}) {
  const isUser = 'userId' in owner
  const [noun, path] = isUser
    ? ['trusted_issuer', `/management/v1/users/${owner.userId}`]
    : ['application_trusted_issuer', `/management/v1/applications/${owner.applicationId}`]
  return (
    <>
      <div className="actions">
        <Act label={text('trust.create')} id={`${noun}.create`} path={{ ...owner }} />
      </div>
      <ApiList<components['schemas']['TrustedIssuer']>
        label={text('trusts')}
        path={`${path}/trusted-issuers`}
        keyOf={({ id }) => id}
        empty={text('trusts.none')}
        columns={[
          { title: text('trusts'), cell: ({ issuer }) => issuer },
          { title: 'sub', cell: ({ subject }) => <code>{subject}</code> },
          {
            title: text('trust.claims'),
            cell: ({ claims }) =>
              Object.entries(claims)
                .map(([name, value]) => `${name}=${value}`)
                .join(', '),
          },
          {
            title: text('trust.keys'),
            cell: ({ keySet }) => text(keySet === null ? 'trust.keys.discovery' : 'trust.keys.uploaded'),
          },
          {
            title: text('acts'),
            cell: (trust) => (
              <div className="actions">
                <Act
                  label={text('edit')}
                  id={`${noun}.update`}
                  path={{ ...owner, trustId: trust.id }}
                  stored={trust}
                  replaced={['keySet']}
                />
                <Act
                  label={text('delete')}
                  className="danger"
                  id={`${noun}.delete`}
                  path={{ ...owner, trustId: trust.id }}
                  consequence={text('trust.delete.ends')}
                />
              </div>
            ),
          },
        ]}
      />
    </>
  )
}
