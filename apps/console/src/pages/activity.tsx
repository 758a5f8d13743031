import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf, api } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { moment, text } from '../texts/texts.ts'
import { ChoiceFilter } from '../ui/filters.tsx'
import { Rows } from '../ui/list.tsx'
import { Card, Loaded } from '../ui/page.tsx'

type Activity = components['schemas']['Activity']
type Span = Activity['spans'][number]

const SERIES = ['signIns', 'refused', 'signOuts'] as const
const HOURS = ['6', '24', '168'] as const
const [WIDTH, HEIGHT] = [720, 160]

/** Sign-ins, refusals and sign-outs over time, as curves and as a table. */
export function ActivityCard() {
  const [hours, setHours] = useState<string>('24')
  const activity = useQuery({
    queryKey: ['activity', hours],
    queryFn: () =>
      answerOf(api.GET('/management/v1/audit/activity', { params: { query: { hours: Number(hours) } } })),
    retry: false,
  })
  return (
    <Card title={text('activity')}>
      <ChoiceFilter
        label={text('activity.time')}
        value={hours}
        options={HOURS.map((choice) => [choice, text(`activity.hours.${choice}`)])}
        onChange={(choice) => setHours(choice ?? '24')}
      />
      <Loaded query={activity}>{(found) => <Curves activity={found} />}</Loaded>
    </Card>
  )
}

const sumOf = (spans: readonly Span[], name: (typeof SERIES)[number]) =>
  spans.reduce((sum, span) => sum + span[name], 0)

function Curves({ activity: { spans, since } }: { readonly activity: Activity }) {
  const most = Math.max(1, ...spans.flatMap((span) => SERIES.map((name) => span[name])))
  const sums = Object.fromEntries(SERIES.map((name) => [name, sumOf(spans, name)]))
  const points = (name: (typeof SERIES)[number]) =>
    spans
      .map((span, at) => {
        const x = (at / Math.max(1, spans.length - 1)) * WIDTH
        return `${x.toFixed(1)},${(HEIGHT - (span[name] / most) * (HEIGHT - 8)).toFixed(1)}`
      })
      .join(' ')
  return (
    <>
      <ul className="legend">
        {SERIES.map((name) => (
          <li key={name} className={name}>
            {text(`activity.${name}`)}: <strong>{sums[name]}</strong>
          </li>
        ))}
      </ul>
      <svg
        className="curves"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={text('activity.summary', sums)}
      >
        {SERIES.map((name) => (
          <polyline key={name} className={name} points={points(name)} />
        ))}
      </svg>
      <p className="quiet">
        {text('activity.range', {
          from: moment(spans[0]?.at),
          to: moment(spans.at(-1)?.at),
          most,
        })}
      </p>
      {since !== undefined && <p className="quiet">{text('activity.since', { since: moment(since) })}</p>}
      <details>
        <summary>{text('activity.table')}</summary>
        <Rows
          label={text('activity')}
          items={spans.filter((span) => SERIES.some((name) => span[name] > 0)).toReversed()}
          keyOf={({ at }) => at}
          columns={[
            { title: text('activity.from'), cell: ({ at }) => moment(at) },
            ...SERIES.map((name) => ({
              title: text(`activity.${name}`),
              cell: (span: Span) => span[name],
            })),
          ]}
        />
      </details>
    </>
  )
}
