import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'

type Application = components['schemas']['Application']

type Refusal = components['schemas']['Refusal']

interface Props {
  readonly filter: Readonly<Record<string, string | undefined>>
  /** The application whose refusals these are: a redirect URI that it lacks can be registered at once. */
  readonly application?: Application
}

/** The last refusals of an application, of a person or of one request. */
export function Refusals({ filter, application }: Props) {
  return (
    <ApiList<Refusal>
      label={text('refusals')}
      path="/management/v1/refusals"
      filter={filter}
      keyOf={({ id }) => id}
      empty={text('refusals.none')}
      columns={[
        { title: text('audit.at'), cell: ({ at }) => moment(at) },
        {
          title: text('refusals.rule'),
          cell: ({ reason, cause }) => (
            <>
              <code>{reason}</code> {cause}
            </>
          ),
        },
        {
          title: text('application'),
          cell: ({ applicationId, clientId }) => (
            <ObjectLink kind="application" id={applicationId} name={clientId} />
          ),
        },
        { title: text('person'), cell: ({ userId }) => <ObjectLink kind="user" id={userId} /> },
        {
          title: text('audit.details'),
          cell: ({ values }) =>
            Object.entries(values)
              .map(([name, value]) => `${name}: ${value}`)
              .join('; '),
        },
        { title: text('acts'), cell: (refusal) => <Cure refusal={refusal} application={application} /> },
      ]}
    />
  )
}

/** The act that cures a refusal, where one does. */
function Cure({
  refusal: { reason, values, cure },
  application,
}: {
  readonly refusal: Refusal
  readonly application: Application | undefined
}) {
  const { received } = values
  if (application === undefined || reason !== 'redirect_uri_unregistered' || received === undefined)
    return cure
  if (application.redirectUris.includes(received)) return text('refusals.cured')
  return (
    <Act
      label={text('refusals.register')}
      id="application.update"
      path={{ applicationId: application.id }}
      stored={application}
      given={{ redirectUris: [...application.redirectUris, received] }}
      only={['redirectUris']}
    />
  )
}
