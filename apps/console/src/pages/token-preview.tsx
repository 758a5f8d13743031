import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf, api } from '../api/client.ts'
import { REFERENCES, ReferenceInput } from '../forms/reference-input.tsx'
import { text } from '../texts/texts.ts'
import { TextFilter } from '../ui/filters.tsx'
import { Card, Loaded } from '../ui/page.tsx'

const SCOPE = 'openid profile email'

/** The claims that the tokens of a person would have, without a sign-in, and the scopes that would be dropped. */
export function TokenPreview({ applicationId }: { readonly applicationId: string }) {
  const [userId, setUserId] = useState<string>()
  const [scope = SCOPE, setScope] = useState<string>()
  const preview = useQuery({
    queryKey: ['token-preview', applicationId, userId, scope],
    queryFn: () =>
      answerOf(
        api.GET('/management/v1/token-preview', {
          params: { query: { applicationId, userId: userId ?? '', scope } },
        }),
      ),
    enabled: userId !== undefined,
  })
  return (
    <Card title={text('preview')}>
      <div className="filters">
        <div>
          <label htmlFor="preview-user">{text('person')}</label>
          <ReferenceInput
            path={REFERENCES.userId ?? ''}
            common={{ id: 'preview-user', required: false }}
            value={userId}
            onChange={setUserId}
          />
        </div>
        <TextFilter label="scope" value={scope} onChange={setScope} />
      </div>
      {userId !== undefined && (
        <Loaded query={preview}>
          {({ refusals, droppedScopes, idToken, accessToken, userinfo }) => (
            <>
              {[...refusals, ...droppedScopes].map((found) => (
                <p key={found.reason + found.rule} className="alert">
                  {'scope' in found && `${found.scope}: `}
                  {found.rule}
                </p>
              ))}
              <Claims title={text('preview.id_token')} claims={idToken} />
              <Claims title={text('preview.access_token')} claims={accessToken} />
              <Claims title={text('preview.userinfo')} claims={userinfo} />
            </>
          )}
        </Loaded>
      )}
    </Card>
  )
}

function Claims({ title, claims }: { readonly title: string; readonly claims: object | undefined }) {
  if (claims === undefined) return null
  return (
    <details>
      <summary>{title}</summary>
      <pre>{JSON.stringify(claims, null, 2)}</pre>
    </details>
  )
}
