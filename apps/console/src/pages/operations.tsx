import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { OperationForm, operationsQuery } from '../forms/operation-form.tsx'
import { text } from '../texts/texts.ts'
import { TextFilter } from '../ui/filters.tsx'
import { Card, Loaded, Page } from '../ui/page.tsx'

/** All operations of the API, by what they are about. */
export function OperationsPage() {
  const operations = useQuery(operationsQuery)
  const [words, setWords] = useState<string>()
  return (
    <Page title={text('operations')}>
      <Card>
        <p>{text('operations.help')}</p>
        <TextFilter label={text('search')} value={words} onChange={setWords} />
        <Loaded query={operations}>
          {(known) => {
            const shown = [...known.values()].filter(({ id, summary }) =>
              `${id} ${summary}`.toLowerCase().includes((words ?? '').toLowerCase()),
            )
            return (
              <ul>
                {shown.map(({ id, summary, method, path }) => (
                  <li key={id}>
                    <Link to="/operations/$operationId" params={{ operationId: id }}>
                      {summary}
                    </Link>{' '}
                    <code className="quiet">
                      {method} {path}
                    </code>
                  </li>
                ))}
              </ul>
            )
          }}
        </Loaded>
      </Card>
    </Page>
  )
}

/** One operation of the API as a form; its answer as JSON. */
export function OperationPage() {
  const { operationId = '' } = useParams({ strict: false })
  const path = useSearch({ strict: false }) as Readonly<Record<string, string>>
  const [answer, setAnswer] = useState<unknown>()
  return (
    <Page
      title={operationId}
      actions={
        <Link to="/reference" search={{ operationId }} className="button">
          {text('reference')}
        </Link>
      }
    >
      <Card>
        <OperationForm key={operationId} id={operationId} path={path} onDone={setAnswer} />
      </Card>
      {answer !== undefined && (
        <Card title={text('operations.answer')}>
          <pre>{typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2)}</pre>
        </Card>
      )}
    </Page>
  )
}
