import { useQuery } from '@tanstack/react-query'
import { answerOf, api } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { text } from '../texts/texts.ts'
import { valueText } from '../ui/facts.tsx'
import { Rows } from '../ui/list.tsx'
import { Card, Loaded } from '../ui/page.tsx'

type Rule = components['schemas']['AccessCheck']['rules'][number]

interface Props {
  readonly userId: string
  readonly applicationId: string
}

/** The rules that a sign-in of a person to an application meets now, with what cures those that fail. */
export function AccessCheck({ userId, applicationId }: Props) {
  const check = useQuery({
    queryKey: ['access-check', userId, applicationId],
    queryFn: () =>
      answerOf(api.GET('/management/v1/access-check', { params: { query: { userId, applicationId } } })),
  })
  return (
    <Card title={text('access')}>
      <Loaded query={check}>
        {({ mayEnter, rules }) => (
          <>
            <p className={mayEnter ? 'good' : 'bad'}>
              {text(mayEnter ? 'access.may_enter' : 'access.may_not')}
            </p>
            <Rows
              label={text('access')}
              items={rules}
              keyOf={({ rule, text: words }) => rule + words}
              columns={[
                {
                  title: text('audit.result'),
                  cell: ({ outcome }) => (
                    <span className={classOf(outcome)}>{text(`access.${outcome}`)}</span>
                  ),
                },
                { title: text('refusals.rule'), cell: (rule) => rule.text },
                {
                  title: text('policy.value'),
                  cell: ({ value }) => value !== undefined && valueText(value),
                },
                { title: text('policy.source'), cell: ({ source }) => source },
                { title: text('access.cure'), cell: ({ cure }) => cure },
              ]}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}

const classOf = (outcome: Rule['outcome']) =>
  ({ passed: 'good', failed: 'bad', asked: '', changed: '' })[outcome]
