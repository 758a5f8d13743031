import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card } from '../ui/page.tsx'

interface Props {
  readonly level: 'instance' | 'organization' | 'project'
  readonly path?: Readonly<Record<string, string>>
  readonly list: string
}

/** The administrators of the instance, of an organization or of a project. */
export function Members({ level, path = {}, list }: Props) {
  return (
    <Card title={text('members')}>
      <ApiList<components['schemas']['Member'] & { readonly userName?: string }>
        label={text('members')}
        path={list}
        keyOf={({ userId }) => userId}
        empty={text('members.none')}
        columns={[
          {
            title: text('person'),
            cell: ({ userId, userName }) => <ObjectLink kind="user" id={userId} name={userName} />,
          },
          { title: text('members.roles'), cell: ({ roles }) => roles.join(', ') },
          { title: text('members.pending'), cell: ({ pendingRoles }) => pendingRoles.join(', ') },
          {
            title: text('acts'),
            cell: ({ userId, roles }) => (
              <div className="actions">
                <Act
                  label={text('edit')}
                  id={`${level}_member.set`}
                  path={{ ...path, userId }}
                  given={{ roles }}
                />
                <Act
                  label={text('delete')}
                  className="danger"
                  id={`${level}_member.delete`}
                  path={{ ...path, userId }}
                />
              </div>
            ),
          },
        ]}
      />
      <div className="actions">
        <Act label={text('members.add')} id={`${level}_member.set`} path={path} />
      </div>
    </Card>
  )
}
