import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answerOf, api } from '../api/client.ts'
import { text } from '../texts/texts.ts'
import { objectPath } from '../ui/object-link.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'

const MOST_FINDINGS = 5

/** What wants attention, and the first steps of a new instance. */
export function HomePage() {
  const doctor = useQuery({
    queryKey: ['doctor'],
    queryFn: () =>
      answerOf(api.GET('/management/v1/doctor', { params: { query: { limit: MOST_FINDINGS } } })),
  })
  return (
    <Page title={text('home')}>
      <Card title={text('home.first')}>
        <ol>
          <li>
            <Link to="/applications/new">{text('home.first.application')}</Link>
          </li>
          <li>
            <Link to="/people">{text('home.first.person')}</Link>
          </li>
          <li>
            <Link to="/operations/$operationId" params={{ operationId: 'mail.test' }}>
              {text('home.first.mail')}
            </Link>
          </li>
        </ol>
      </Card>
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
