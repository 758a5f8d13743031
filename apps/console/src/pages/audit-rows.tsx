import { Link } from '@tanstack/react-router'
import type { components } from '../api/gen/schema.ts'
import { moment, text } from '../texts/texts.ts'
import { valueText } from '../ui/facts.tsx'
import { ApiList } from '../ui/list.tsx'
import { ObjectLink } from '../ui/object-link.tsx'

type Entry = components['schemas']['AuditEntry'] & {
  readonly actor: { readonly name?: string }
  readonly target?: { readonly name?: string }
}

/** Audit entries, newest first. */
export function AuditRows({ filter }: { readonly filter: Readonly<Record<string, string | undefined>> }) {
  return (
    <ApiList<Entry>
      label={text('audit')}
      path="/management/v1/audit"
      filter={filter}
      keyOf={({ service, id }) => service + id}
      columns={[
        { title: text('audit.at'), cell: ({ at }) => moment(at) },
        {
          title: text('audit.actor'),
          cell: ({ actor }) => <ObjectLink {...actor} id={actor.id ?? actor.kind} />,
        },
        { title: text('audit.action'), cell: ({ action }) => action },
        {
          title: text('audit.target'),
          cell: ({ target }) => target && <ObjectLink {...target} id={target.id} />,
        },
        {
          title: text('audit.result'),
          cell: ({ result }) => <span className={result === 'success' ? 'good' : 'bad'}>{result}</span>,
        },
        { title: text('audit.details'), cell: ({ details }) => <Details of={details} /> },
      ]}
    />
  )
}

/** Facts of the session of the actor, which each of their entries has. */
const OF_SESSION = ['acr', 'auth_time', 'token_id']

function Details({ of: { request_id: requestId, ...details } }: { readonly of: Entry['details'] }) {
  const entries = Object.entries(details).filter(([name]) => !OF_SESSION.includes(name))
  return (
    <>
      {entries.map(([name, value]) => `${name}: ${valueText(value)}`).join('; ')}
      {typeof requestId === 'string' && (
        <Link to="/audit" search={{ requestId } as never} className="quiet">
          {' '}
          {text('audit.same-request')}
        </Link>
      )}
    </>
  )
}
