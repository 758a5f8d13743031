import { useState } from 'react'
import { answerOf, api } from '../api/client.ts'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'

type Result = components['schemas']['IdentityProviderTest']

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
  const [result, setResult] = useState<Result>()
  const [problem, setProblem] = useState<string>()
  const take = async () => {
    const path = { providerId, testId: link.id }
    try {
      const taken = await answerOf(
        api.POST('/management/v1/identity-providers/{providerId}/tests/{testId}/take', { params: { path } }),
      )
      setResult(taken)
      setProblem(taken.state === 'waiting' ? text('provider.test.waiting') : undefined)
    } catch {
      setProblem(text('provider.test.gone'))
    }
  }
  return (
    <>
      <p>
        <a href={link.url} target="_blank" rel="noopener noreferrer">
          {text('provider.test.open')}
        </a>
      </p>
      <button type="button" onClick={() => void take()} disabled={result?.state === 'done'}>
        {text('provider.test.result')}
      </button>
      {problem !== undefined && <p role="status">{problem}</p>}
      {result?.state === 'done' && <pre>{JSON.stringify(result, undefined, 2)}</pre>}
    </>
  )
}
