import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { answerOf, api } from '../api/client.ts'
import { text } from '../texts/texts.ts'
import { Card } from '../ui/page.tsx'

/** The applications that an instance has without its owner. */
const OWN_CLIENTS = ['signet-console', 'signet-cli']
/** An older test says nothing of the mail server of today, and its audit log would be read for a year. */
const MAIL_TEST_MS = 30 * 86_400_000
const LOCAL = /(?:^|\.)localhost$/

/** The first steps of a new instance, each marked when it is done. */
export function FirstRun() {
  const applications = useStep('applications', async () => {
    const { items } = await answerOf(
      api.GET('/management/v1/applications', { params: { query: { limit: 100 } } }),
    )
    return items
      .filter(({ clientId, grantTypes }) => !OWN_CLIENTS.includes(clientId) && grantTypes.length > 0)
      .sort((one, other) => other.createdAt.localeCompare(one.createdAt))
  })
  const newest = applications?.[0]
  const hasSignIn = useStep(
    `sign-in ${newest?.id ?? ''}`,
    async () =>
      newest !== undefined &&
      (
        await answerOf(
          api.GET('/management/v1/applications/{applicationId}/usage', {
            params: { path: { applicationId: newest.id } },
          }),
        )
      ).sessions > 0,
  )
  const hasPeople = useStep('people', async () => {
    const query = { limit: 2, kind: 'human' } as const
    return (await answerOf(api.GET('/management/v1/users', { params: { query } }))).items.length > 1
  })
  const hasMail = useStep('mail', async () => {
    const from = new Date(Date.now() - MAIL_TEST_MS).toISOString()
    const query = { limit: 1, action: 'mail.test', result: 'success', from } as const
    return (await answerOf(api.GET('/management/v1/audit', { params: { query } }))).items.length > 0
  })
  const hasDomain = useStep('domain', async () => {
    const { items } = await answerOf(
      api.GET('/management/v1/organizations', { params: { query: { limit: 20 } } }),
    )
    return items.some(({ primaryDomain }) => !LOCAL.test(primaryDomain))
  })
  const steps: readonly (readonly [isDone: boolean | undefined, key: string, step: ReactNode])[] = [
    [
      applications && applications.length > 0,
      'application',
      <Link key="a" to="/applications/new">
        {text('home.first.application')}
      </Link>,
    ],
    [
      hasSignIn,
      'sign-in',
      newest === undefined ? (
        text('home.first.sign_in')
      ) : (
        <Link key="s" to="/applications/$applicationId" params={{ applicationId: newest.id }}>
          {text('home.first.sign_in_to', { name: newest.name })}
        </Link>
      ),
    ],
    [
      hasPeople,
      'person',
      <Link key="p" to="/people/invite">
        {text('home.first.person')}
      </Link>,
    ],
    [
      hasMail,
      'mail',
      <Link key="m" to="/operations/$operationId" params={{ operationId: 'mail.test' }}>
        {text('home.first.mail')}
      </Link>,
    ],
    [
      hasDomain,
      'domain',
      <Link key="d" to="/organizations">
        {text('home.first.domain')}
      </Link>,
    ],
  ]
  const isDone = steps.every(([done]) => done === true)
  return (
    <Card title={text('home.first')}>
      {isDone && <p className="good">{text('home.first.done')}</p>}
      <ol className="checklist">
        {steps.map(([done, key, step]) => (
          <li key={key} className={done === true ? 'good' : undefined}>
            <span aria-hidden="true">{done === true ? '✓ ' : '○ '}</span>
            {step} {done === true && <span>{text('home.first.step_done')}</span>}
          </li>
        ))}
      </ol>
    </Card>
  )
}

/**
 * What a step found; undefined while it loads, and where the person may not see it. Asked again after each act and when the
 * person comes back to the page, such as from an application where they signed in.
 */
function useStep<T>(name: string, queryFn: () => Promise<T>): T | undefined {
  const { data } = useQuery({ queryKey: ['first-run', name], queryFn, retry: false })
  return data
}
