import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { answerOf, api, call } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { moment, text } from '../texts/texts.ts'
import { csvOf } from '../ui/csv.ts'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Loaded, Page, Problem } from '../ui/page.tsx'
import { saveFile } from '../ui/save-file.ts'

type Schemas = components['schemas']
type Grant = Schemas['UserGrant']

/** Most roles that are columns; a file has all. */
const MOST_COLUMNS = 100

/** Who has which roles of a project: people in rows, roles in columns. A check gives a role, or takes it. */
export function RoleMatrixPage() {
  const { projectId = '' } = useParams({ strict: false })
  const path = { projectId }
  const read = useQuery({
    queryKey: ['matrix', projectId],
    queryFn: async () => {
      const [project, roles] = await Promise.all([
        answerOf(api.GET('/management/v1/projects/{projectId}', { params: { path } })),
        allItems<{ readonly key: string }>(`/management/v1/projects/${encodeURIComponent(projectId)}/roles`),
      ])
      return { project, roles: roles.map(({ key }) => key) }
    },
  })
  return (
    <Loaded query={read} title={text('matrix')}>
      {({ project, roles }) => <Matrix project={project} roles={roles} />}
    </Loaded>
  )
}

interface MatrixProps {
  readonly project: Schemas['Project']
  readonly roles: readonly string[]
}

function Matrix({ project: { id, name }, roles }: MatrixProps) {
  const queries = useQueryClient()
  const place = `/management/v1/projects/${encodeURIComponent(id)}/user-grants`
  const change = useMutation({
    mutationFn: ({ grant, role }: { readonly grant: Grant; readonly role: string }) =>
      call({
        method: 'POST',
        path: `${place}/${grant.roles.includes(role) ? 'remove' : 'add'}`,
        body: { userId: grant.userId, roles: [role] },
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['list', place] }),
  })
  /** The check shows what the person did, before the answer is there. */
  const isChanging = (grant: Grant, role: string) =>
    change.isPending && change.variables.grant.id === grant.id && change.variables.role === role
  return (
    <Page title={text('matrix.of', { name })} actions={<Export place={place} name={id} roles={roles} />}>
      <Card title={text('project.grants')}>
        <p className="quiet">{text('matrix.help')}</p>
        {roles.length > MOST_COLUMNS && (
          <p className="alert">{text('matrix.first', { count: MOST_COLUMNS, all: roles.length })}</p>
        )}
        <Problem error={change.error} />
        <ApiList<Grant>
          label={text('project.grants')}
          path={place}
          keyOf={(grant) => grant.id}
          columns={[
            {
              title: text('person'),
              cell: ({ userId, userName }) => <ObjectLink kind="user" id={userId} name={userName} />,
            },
            ...roles.slice(0, MOST_COLUMNS).map((role) => ({
              title: role,
              cell: (grant: Grant) => (
                <input
                  type="checkbox"
                  aria-label={text('matrix.role', { role, name: grant.userName ?? grant.userId })}
                  checked={grant.roles.includes(role) !== isChanging(grant, role)}
                  disabled={change.isPending}
                  onChange={() => change.mutate({ grant, role })}
                />
              ),
            })),
            { title: text('created'), cell: ({ createdAt }) => moment(createdAt) },
          ]}
        />
      </Card>
    </Page>
  )
}

interface ExportProps {
  readonly place: string
  readonly name: string
  readonly roles: readonly string[]
}

/** Saves all rows as a file for a spreadsheet. */
function Export({ place, name, roles }: ExportProps) {
  const saved = useMutation({
    mutationFn: () => allItems<Grant>(place),
    onSuccess: (grants) => {
      const head = ['user_id', 'user_name', 'display_name', ...roles, 'created_at']
      const rows = grants.map(({ userId, userName, displayName, createdAt, ...grant }) => [
        ...[userId, userName ?? '', displayName ?? ''],
        ...roles.map((role) => (grant.roles.includes(role) ? 'yes' : '')),
        createdAt,
      ])
      saveFile(new Blob([csvOf([head, ...rows])], { type: 'text/csv' }), `roles-${name}.csv`)
    },
  })
  return (
    <>
      <button type="button" disabled={saved.isPending} onClick={() => saved.mutate()}>
        {text('matrix.export')}
      </button>
      <Problem error={saved.error} />
    </>
  )
}

/** All items of a list of the management API. */
async function allItems<T>(path: string): Promise<readonly T[]> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const query = { limit: '500', ...(cursor && { cursor }) }
    const page = (await call({ method: 'GET', path, query })) as {
      readonly items: readonly T[]
      readonly nextCursor?: string
    }
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return items
}
