import { useMutation } from '@tanstack/react-query'
import { ApiProblem, answerOf, api } from '../api/client.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { Problem } from '../ui/page.tsx'

interface Link {
  readonly id: string
  readonly url: string
}

/** Tests an identity provider: the link to open, and afterwards what came of the sign-in. Nothing is changed. */
export function ProviderTest({ providerId }: { readonly providerId: string }) {
  return (
    <Act
      label={text('provider.test')}
      id="identity_provider.test"
      path={{ providerId }}
      consequence={text('provider.test.does')}
      shown={(answer) => <Opened providerId={providerId} link={answer as Link} />}
    />
  )
}

function Opened({ providerId, link }: { readonly providerId: string; readonly link: Link }) {
  const path = { providerId, testId: link.id }
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: () =>
      answerOf(
        api.POST('/management/v1/identity-providers/{providerId}/tests/{testId}/take', { params: { path } }),
      ),
  })
  const isGone = error instanceof ApiProblem && error.status === 404
  return (
    <>
      <p>
        <a href={link.url} target="_blank" rel="noopener noreferrer">
          {text('provider.test.open')}
        </a>
      </p>
      <button type="button" onClick={() => mutate()} disabled={isPending || data?.state === 'done'}>
        {text('provider.test.result')}
      </button>
      {isGone ? <p role="status">{text('provider.test.gone')}</p> : <Problem error={error} />}
      {data?.state === 'waiting' && <p role="status">{text('provider.test.waiting')}</p>}
      {data?.state === 'done' && <pre>{JSON.stringify(data, undefined, 2)}</pre>}
    </>
  )
}
