import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { components } from '../api/gen/schema.ts'
import { OperationForm } from '../forms/operation-form.tsx'
import { text } from '../texts/texts.ts'
import { Card, Page } from '../ui/page.tsx'
import { useFilters } from '../ui/search-state.ts'
import { Secret } from '../ui/secret.tsx'
import { APPLICATION_KINDS, type ApplicationKind, FIELDS_OF_KIND } from './application-kinds.ts'
import { QuickStart } from './quick-start.tsx'

const KINDS = Object.keys(APPLICATION_KINDS) as readonly ApplicationKind[]
const isKind = (value: string | undefined): value is ApplicationKind => KINDS.some((kind) => kind === value)

/** A new application: its kind, what this kind needs, then working code with its id. */
export function NewApplicationPage() {
  const [{ kind }, change] = useFilters()
  const [made, setMade] = useState<components['schemas']['NewApplication']>()
  if (made !== undefined) {
    return (
      <Page
        title={text('application.created', { name: made.name })}
        actions={
          <Link to="/applications/$applicationId" params={{ applicationId: made.id }} className="button">
            {text('application.open')}
          </Link>
        }
      >
        {made.clientSecret !== undefined && (
          <Card>
            <Secret answer={{ clientSecret: made.clientSecret }} />
          </Card>
        )}
        <QuickStart application={made} clientSecret={made.clientSecret} />
      </Page>
    )
  }
  return (
    <Page title={text('application.create')}>
      <div className="grid">
        {KINDS.map((one) => (
          <button
            key={one}
            type="button"
            className={kind === one ? 'card primary' : 'card'}
            aria-pressed={kind === one}
            onClick={() => change({ kind: one })}
          >
            <strong>{text(`application.kind.${one}`)}</strong>
            <br />
            {text(`application.kind.${one}.help`)}
          </button>
        ))}
      </div>
      {isKind(kind) && (
        <Card>
          <OperationForm
            key={kind}
            id="application.create"
            submit={text('application.create')}
            given={APPLICATION_KINDS[kind]}
            only={FIELDS_OF_KIND[kind]}
            onDone={(answer) => setMade(answer as components['schemas']['NewApplication'])}
          />
        </Card>
      )}
    </Page>
  )
}
