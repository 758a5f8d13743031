import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answerOf, api } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { moment, text } from '../texts/texts.ts'
import { ChoiceFilter, Filters, TextFilter } from '../ui/filters.tsx'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'
import { Card, Page } from '../ui/page.tsx'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { useFilters } from '../ui/search-state.ts'
import { Ends } from './usage.tsx'

type ClientDocument = components['schemas']['ClientDocument']

/** The clients whose client_id is the URL of their document, each with the acts that block and forget it. */
export function ClientDocumentsPage() {
  const [filters, change] = useFilters()
  return (
    <Page title={text('client_documents')}>
      <Card>
        <p>{text('client_documents.help')}</p>
        <Setting />
        <Filters>
          <TextFilter
            label={text('client_document.host')}
            value={filters.host}
            onChange={(host) => change({ host })}
          />
          <ChoiceFilter
            label={text('state')}
            value={filters.state}
            all={text('all')}
            options={(['active', 'inactive'] as const).map((state) => [state, text(`state.${state}`)])}
            onChange={(state) => change({ state })}
          />
        </Filters>
        <SavedFilters filters={filters} />
        <ApiList<ClientDocument>
          label={text('client_documents')}
          path="/management/v1/client-documents"
          filter={filters}
          keyOf={({ applicationId }) => applicationId}
          empty={text('client_documents.none')}
          columns={[
            { title: text('client_document.host'), cell: ({ host }) => host },
            {
              title: 'client_id',
              cell: ({ applicationId, clientId }) => (
                <ObjectLink kind="application" id={applicationId} name={clientId} />
              ),
            },
            { title: text('client_document.first_use'), cell: ({ createdAt }) => moment(createdAt) },
            { title: text('client_document.last_use'), cell: ({ lastUsedOn }) => lastUsedOn ?? '–' },
            { title: text('state'), cell: ({ state }) => text(`state.${state}`) },
            { title: text('acts'), cell: (client) => <Acts client={client} /> },
          ]}
        />
      </Card>
    </Page>
  )
}

/** Whether the operator has switched these clients on, for those who may read the features of the instance. */
function Setting() {
  const { data } = useQuery({
    queryKey: ['features', 'inherited'],
    queryFn: () => answerOf(api.GET('/v2/features/instance', { params: { query: { inheritance: 'true' } } })),
    // The list does not depend on it.
    throwOnError: false,
    retry: false,
  })
  if (data?.clientDocuments === undefined) return null
  const { enabled } = data.clientDocuments
  return (
    <p className={enabled ? 'good' : 'bad'}>
      {text(enabled ? 'client_documents.on' : 'client_documents.off')}
    </p>
  )
}

function Acts({ client: { applicationId, clientId, state } }: { readonly client: ClientDocument }) {
  const path = { applicationId }
  const isActive = state === 'active'
  return (
    <div className="actions">
      <Link to="/why" search={{ application: applicationId }} className="button">
        {text('refusals')}
      </Link>
      <Act
        label={text(isActive ? 'application.deactivate' : 'application.activate')}
        id="application.update"
        path={path}
        stored={{ state }}
        given={{ state: isActive ? 'inactive' : 'active' }}
        only={['state']}
        consequence={
          isActive && (
            <Ends of="application" id={applicationId} text={text('client_document.deactivate.ends')} />
          )
        }
      />
      <Act
        label={text('delete')}
        className="danger"
        id="application.delete"
        path={path}
        consequence={<Ends of="application" id={applicationId} text={text('client_document.delete.ends')} />}
        confirmation={clientId}
      />
    </div>
  )
}
