import { text } from '../texts/texts.ts'
import { Filters, TextFilter } from '../ui/filters.tsx'
import { Card, Page } from '../ui/page.tsx'
import { useFilters } from '../ui/search-state.ts'
import { AccessCheck } from './access-check.tsx'
import { Refusals } from './refusals.tsx'

/** Why a request was refused: by the id that the page of the person showed, by application or by person. */
export function WhyPage() {
  const [filters, change] = useFilters()
  const hasFilter = Object.values(filters).some(Boolean)
  return (
    <Page title={text('why')}>
      <Card>
        <p>{text('why.help')}</p>
        <Filters>
          <TextFilter
            label={text('why.request')}
            value={filters.requestId}
            onChange={(requestId) => change({ requestId })}
          />
          <TextFilter
            label={text('why.application')}
            value={filters.application}
            onChange={(application) => change({ application })}
          />
          <TextFilter label={text('why.user')} value={filters.user} onChange={(user) => change({ user })} />
        </Filters>
        {hasFilter && <Refusals filter={filters} />}
      </Card>
      {filters.user && filters.application && (
        <AccessCheck userId={filters.user} applicationId={filters.application} />
      )}
    </Page>
  )
}
