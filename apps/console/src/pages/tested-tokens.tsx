import { useQuery } from '@tanstack/react-query'
import { answerOf, api } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { valueText } from '../ui/facts.tsx'
import { Rows } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Loaded } from '../ui/page.tsx'
import type { Tested } from './sign-in-request.ts'

type Application = components['schemas']['Application']
type Preview = components['schemas']['TokenPreview']

/** The services that issue tokens see a change within a second. */
const SEEN_MS = 1_500

interface Props {
  readonly application: Application
  readonly tested: Tested
  /** Tries the same again with these scopes. */
  readonly onScope: (scope: string) => void
}

interface CureProps extends Props {
  /** Called after an act that may cure the finding. */
  readonly onDone: () => void
}

interface Found {
  readonly reason: string
  readonly rule: string
  readonly projectId?: string | undefined
  readonly resource?: string | undefined
  readonly scope?: string | undefined
}

/** The claims of the tokens of a sign-in, the scopes that it goes on without, and the rules that refuse it. */
export function TestedTokens({ application, tested, onScope }: Props) {
  const { resource, ...asked } = tested
  const preview = useQuery({
    queryKey: ['token-preview', application.id, tested],
    queryFn: () =>
      answerOf(
        api.GET('/management/v1/token-preview', {
          params: {
            query: {
              applicationId: application.id,
              ...asked,
              ...(resource.trim() !== '' && { resource }),
            },
          },
        }),
      ),
  })
  return (
    <Loaded query={preview}>
      {(found) => (
        <>
          <p className={found.refusals.length === 0 ? 'good' : 'bad'} role="status">
            {text(found.refusals.length === 0 ? 'access.may_enter' : 'access.may_not')}
          </p>
          <Findings
            {...{ found, application, tested, onScope }}
            onDone={() => setTimeout(() => void preview.refetch(), SEEN_MS)}
          />
          <p>
            {text('tester.scopes.granted')} <code>{found.scopes.join(' ')}</code>
          </p>
          <Claims title={text('preview.id_token')} claims={found.idToken} />
          <Claims
            title={text(
              found.accessTokenType === 'jwt' ? 'preview.access_token' : 'preview.access_token.opaque',
            )}
            claims={found.accessToken}
          />
          <Claims title={text('preview.userinfo')} claims={found.userinfo} />
        </>
      )}
    </Loaded>
  )
}

function Findings({ found, ...props }: CureProps & { readonly found: Preview }) {
  const findings: readonly Found[] = [...found.refusals, ...found.droppedScopes]
  if (findings.length === 0) return null
  return (
    <Rows
      label={text('tester.findings')}
      items={findings}
      keyOf={({ reason, scope, projectId, resource }) =>
        [reason, scope, projectId, resource].filter(Boolean).join(' ')
      }
      columns={[
        {
          title: text('tester.effect'),
          cell: ({ scope }) =>
            scope === undefined ? (
              <span className="bad">{text('tester.refused')}</span>
            ) : (
              <>
                {text('tester.dropped')} <code>{scope}</code>
              </>
            ),
        },
        {
          title: text('refusals.rule'),
          cell: ({ reason, rule }) => (
            <>
              <code>{reason}</code> {rule}
            </>
          ),
        },
        { title: text('access.cure'), cell: (finding) => <Cure finding={finding} {...props} /> },
      ]}
    />
  )
}

/** The act that cures a finding, or the page on which it is cured. */
function Cure({ finding, application, tested, onScope, onDone }: CureProps & { readonly finding: Found }) {
  const path = { applicationId: application.id }
  switch (finding.reason) {
    case 'no_refresh_token':
      return <AddGrant {...{ application, onDone }} grant="refresh_token" />
    case 'grant_type_not_allowed':
      return <AddGrant {...{ application, onDone }} grant={tested.grantType} />
    case 'scope_without_openid':
      return (
        <button type="button" onClick={() => onScope(`openid ${tested.scope}`.trim())}>
          {text('tester.cure.openid')}
        </button>
      )
    case 'scope_unknown':
      return (
        <button type="button" onClick={() => onScope(withoutScope(tested.scope, finding.scope))}>
          {text('tester.cure.without')}
        </button>
      )
    case 'application_not_active':
      return (
        <Act
          label={text('application.activate')}
          id="application.update"
          path={path}
          stored={{ state: application.state }}
          given={{ state: 'active' }}
          onDone={onDone}
          only={['state']}
        />
      )
    case 'project_role_missing':
      return (
        <Act
          label={text('tester.cure.role')}
          id="user_grant.create"
          path={{ projectId: finding.projectId ?? '' }}
          given={{ userId: tested.userId }}
          onDone={onDone}
        />
      )
    case 'user_not_active':
    case 'user_not_human':
      return <ObjectLink kind="user" id={tested.userId} name={text('tester.cure.person')} />
    default:
      return (
        finding.projectId !== undefined && (
          <ObjectLink kind="project" id={finding.projectId} name={text('tester.cure.project')} />
        )
      )
  }
}

const withoutScope = (scope: string, left: string | undefined) =>
  scope
    .split(' ')
    .filter((one) => one !== '' && one !== left)
    .join(' ')

/** The act that lets an application use a grant. */
export function AddGrant({
  application,
  grant,
  onDone,
}: Pick<Props, 'application'> & {
  readonly grant: Application['grantTypes'][number]
  readonly onDone?: () => void
}) {
  return (
    <Act
      label={text('tester.cure.grant', { grant })}
      id="application.update"
      path={{ applicationId: application.id }}
      stored={application}
      given={{ grantTypes: [...application.grantTypes, grant] }}
      only={['grantTypes']}
      {...(onDone && { onDone })}
    />
  )
}

/** The claims of a token as a table, and as the JSON that the application reads. */
function Claims({ title, claims }: { readonly title: string; readonly claims: object }) {
  return (
    <details>
      <summary>{title}</summary>
      <Rows
        label={title}
        items={Object.entries(claims)}
        keyOf={([name]) => name}
        columns={[
          { title: text('tester.claim'), cell: ([name]) => <code>{name}</code> },
          { title: text('policy.value'), cell: ([, value]) => valueText(value) },
        ]}
      />
      <pre>{JSON.stringify(claims, null, 2)}</pre>
    </details>
  )
}
