import { text } from '../texts/texts.ts'
import { ChoiceFilter, Filters, TextFilter } from '../ui/filters.tsx'
import { Card, Page } from '../ui/page.tsx'
import { SavedFilters } from '../ui/saved-filters.tsx'
import { useFilters } from '../ui/search-state.ts'
import { AuditRows } from './audit-rows.tsx'

/** What happened, with filters that stay in the address. */
export function AuditPage() {
  const [filters, change] = useFilters()
  // A request that only looks is asked for by its id.
  const { kind = filters.requestId === undefined ? 'changes' : 'all' } = filters
  return (
    <Page title={text('audit')}>
      <Card>
        <Filters>
          <ChoiceFilter
            label={text('audit.kind')}
            value={kind}
            options={[
              ['changes', text('audit.kind.changes')],
              ['all', text('audit.kind.all')],
            ]}
            onChange={(chosen) => change({ kind: chosen })}
          />
          <TextFilter
            label={text('audit.action')}
            value={filters.action}
            onChange={(action) => change({ action })}
          />
          <ChoiceFilter
            label={text('audit.result')}
            value={filters.result}
            all={text('all')}
            options={[
              ['success', 'success'],
              ['refused', 'refused'],
              ['failed', 'failed'],
            ]}
            onChange={(result) => change({ result })}
          />
          <TextFilter
            label={text('audit.actor')}
            value={filters.actorId}
            onChange={(actorId) => change({ actorId })}
          />
          <TextFilter
            label={text('audit.target')}
            value={filters.targetId}
            onChange={(targetId) => change({ targetId })}
          />
          <TextFilter
            label={text('organization.id')}
            value={filters.organizationId}
            onChange={(organizationId) => change({ organizationId })}
          />
          <TextFilter
            label={text('audit.request')}
            value={filters.requestId}
            onChange={(requestId) => change({ requestId })}
          />
        </Filters>
        <SavedFilters filters={filters} />
        <AuditRows filter={{ ...filters, kind }} />
      </Card>
    </Page>
  )
}
