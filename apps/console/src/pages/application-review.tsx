import { useQuery } from '@tanstack/react-query'
import { answerOf, api } from '../api/client.ts'
import { text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { Rows } from '../ui/list.tsx'
import { Card, Loaded } from '../ui/page.tsx'

/** The findings of an application by RFC 9700, each with the command that cures it. */
export function ApplicationReview({ applicationId }: { readonly applicationId: string }) {
  const review = useQuery({
    queryKey: ['application', applicationId, 'review'],
    queryFn: () =>
      answerOf(
        api.GET('/management/v1/applications/{applicationId}/review', {
          params: { path: { applicationId } },
        }),
      ),
  })
  return (
    <Card title={text('application.review')}>
      <Loaded query={review}>
        {({ rules, kept, findings }) => (
          <>
            <p className={findings.some(({ severity }) => severity === 'high') ? 'bad' : 'good'}>
              {text('application.review.kept', { rules, kept })}
            </p>
            <Rows
              label={text('application.review')}
              items={findings}
              keyOf={({ rule, text: sentence }) => rule + sentence}
              columns={[
                {
                  title: text('application.review.severity'),
                  cell: ({ severity }) => (
                    <span className={severity === 'high' ? 'bad' : ''}>
                      {text(`application.review.severity.${severity}`)}
                    </span>
                  ),
                },
                { title: text('application.review.finding'), cell: (finding) => finding.text },
                { title: text('application.review.section'), cell: ({ section }) => section },
                {
                  title: text('application.review.fix'),
                  cell: ({ fix, rule }) => fix !== undefined && <Copyable value={fix} label={rule} />,
                },
              ]}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}
