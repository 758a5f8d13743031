import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answerOf, api } from '../api/client.ts'
import { text } from '../texts/texts.ts'
import { objectPath } from '../ui/object-link.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'
import { ActivityCard } from './activity.tsx'
import { FirstRun } from './first-run.tsx'

const MOST_FINDINGS = 5

/** The first steps of a new instance, sign-ins over time, and what wants attention. */
export function HomePage() {
  const doctor = useQuery({
    queryKey: ['doctor'],
    queryFn: () =>
      answerOf(api.GET('/management/v1/doctor', { params: { query: { limit: MOST_FINDINGS } } })),
  })
  return (
    <Page title={text('home')}>
      <FirstRun />
      <ActivityCard />
      <Card title={text('home.attention')}>
        <Loaded query={doctor}>
          {({ checks }) => {
            const open = checks.filter(({ count }) => count > 0)
            if (open.length === 0) return <p className="good">{text('home.nothing')}</p>
            return open.map(({ id, title, remedy, count, findings }) => (
              <details key={id}>
                <summary>
                  {title} ({count})
                </summary>
                <p>{remedy}</p>
                <ul>
                  {findings.map((finding) => (
                    <li key={finding.kind + finding.id + finding.detail}>
                      <Finding {...finding} />
                    </li>
                  ))}
                </ul>
              </details>
            ))
          }}
        </Loaded>
      </Card>
    </Page>
  )
}

function Finding({
  kind,
  id,
  detail,
}: {
  readonly kind: string
  readonly id: string
  readonly detail: string
}) {
  const path = objectPath(kind, id)
  return (
    <>
      {path === undefined ? id : <Link to={path}>{id}</Link>} <span className="quiet">{detail}</span>
    </>
  )
}
