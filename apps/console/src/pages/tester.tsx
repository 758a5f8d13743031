import { type FormEvent, useEffect, useId, useState } from 'react'
import type { components } from '../api/gen/schema.ts'
import { REFERENCES, ReferenceInput, useOffered } from '../forms/reference-input.tsx'
import { text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { ChoiceFilter } from '../ui/filters.tsx'
import { Card } from '../ui/page.tsx'
import {
  authorizationUrl,
  deviceCommand,
  GRANTS,
  type Grant,
  isOfPeople,
  newProof,
  type Proof,
  pushCommand,
  type SignInRequest,
  type Tested,
  tokenCommand,
} from './sign-in-request.ts'
import { AddGrant, TestedTokens } from './tested-tokens.tsx'

type Application = components['schemas']['Application']

interface Props {
  readonly application: Application
}

/** Tries a sign-in without one: the request to copy, and the claims that the tokens of a person would have. */
export function Tester({ application }: Props) {
  const { grantTypes, redirectUris } = application
  const [userId, setUserId] = useState<string>()
  const [scope, setScope] = useState('openid profile email')
  const [resource, setResource] = useState('')
  const [grantType, setGrantType] = useState<Grant>(
    GRANTS.find((grant) => grantTypes.includes(grant)) ?? GRANTS[0],
  )
  const [redirectUri, setRedirectUri] = useState<string>()
  const [tested, setTested] = useState<Tested>()
  const person = useId()
  const chosenUri = redirectUris.find((uri) => uri === redirectUri) ?? redirectUris[0] ?? ''
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (userId !== undefined && isOfPeople(grantType)) setTested({ userId, scope, resource, grantType })
  }
  return (
    <Card title={text('tester')}>
      <p className="quiet">{text('tester.help')}</p>
      <form onSubmit={send}>
        <div className="filters">
          {isOfPeople(grantType) && (
            <div>
              <label htmlFor={person}>{text('person')}</label>
              <ReferenceInput
                path={REFERENCES.userId ?? ''}
                common={{ id: person, required: true }}
                value={userId}
                onChange={setUserId}
              />
            </div>
          )}
          <ChoiceFilter
            label={text('tester.grant')}
            value={grantType}
            options={GRANTS.map((grant) => [grant, text(`tester.grant.${SHORT[grant]}`)])}
            onChange={(grant) => setGrantType(grant as Grant)}
          />
          {grantType === 'authorization_code' && redirectUris.length > 1 && (
            <ChoiceFilter
              label="redirect_uri"
              value={chosenUri}
              options={redirectUris.map((uri) => [uri, uri])}
              onChange={setRedirectUri}
            />
          )}
        </div>
        <ScopeFields {...{ scope, setScope, resource, setResource }} />
        {isOfPeople(grantType) && (
          <div className="actions">
            <button type="submit" className="primary">
              {text('tester.try')}
            </button>
          </div>
        )}
      </form>
      {!isOfPeople(grantType) && <p className="quiet">{text('tester.own_tokens')}</p>}
      {!isOfPeople(grantType) && !grantTypes.includes(grantType) && (
        <AddGrant application={application} grant={grantType} />
      )}
      <Request
        {...{ application, scope, resource, grantType }}
        redirectUri={chosenUri || 'https://REDIRECT_URI'}
      />
      {tested !== undefined && isOfPeople(grantType) && (
        <TestedTokens
          application={application}
          tested={tested}
          onScope={(added) => {
            setScope(added)
            setTested({ ...tested, scope: added })
          }}
        />
      )}
    </Card>
  )
}

const SHORT = { [GRANTS[0]]: 'code', [GRANTS[1]]: 'device', [GRANTS[2]]: 'own' } as const

function ScopeFields({
  scope,
  setScope,
  resource,
  setResource,
}: {
  readonly scope: string
  readonly setScope: (scope: string) => void
  readonly resource: string
  readonly setResource: (resource: string) => void
}) {
  const id = useId()
  const projects = useOffered<components['schemas']['Project']>('/management/v1/projects')
  return (
    <>
      <div className="field">
        <label htmlFor={`${id}-scope`}>{text('tester.scopes')}</label>
        <input
          id={`${id}-scope`}
          autoComplete="off"
          spellCheck={false}
          value={scope}
          onChange={(event) => setScope(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-resource`}>{text('tester.resource')}</label>
        <input
          id={`${id}-resource`}
          autoComplete="off"
          spellCheck={false}
          list={`${id}-apis`}
          value={resource}
          onChange={(event) => setResource(event.target.value)}
        />
        <datalist id={`${id}-apis`}>
          {projects.map(({ id: key, name, resourceUri }) =>
            !resourceUri ? null : (
              <option key={key} value={resourceUri}>
                {name}
              </option>
            ),
          )}
        </datalist>
      </div>
    </>
  )
}

/** The request to copy. It has no person, no token and no secret. */
function Request({
  grantType,
  ...given
}: Omit<SignInRequest, 'issuer' | 'proof'> & { readonly grantType: Grant }) {
  // It stays while the page is open: the code of a copied address needs the verifier that is shown.
  const [proof, setProof] = useState<Proof>()
  useEffect(() => {
    void newProof(window.crypto).then(setProof)
  }, [])
  if (proof === undefined) return null
  const request = { ...given, issuer: window.location.origin, proof }
  if (!isOfPeople(grantType))
    return <ToCopy title={text('tester.token_request')} value={tokenCommand(request, grantType)} />
  const isOfDevice = grantType !== 'authorization_code'
  return (
    <>
      {isOfDevice ? (
        <ToCopy title={text('tester.device')} value={deviceCommand(request)} />
      ) : (
        <>
          {given.application.requirePushedAuthorization && (
            <ToCopy title={text('tester.push')} value={pushCommand(request)} />
          )}
          <ToCopy title={text('tester.request')} value={authorizationUrl(request)} />
        </>
      )}
      <details>
        <summary>{text('tester.token_request')}</summary>
        <p className="quiet">{text('tester.token_request.help')}</p>
        <Copyable value={tokenCommand(request, grantType)} label={text('tester.token_request')} />
      </details>
    </>
  )
}

const ToCopy = ({ title, value }: { readonly title: string; readonly value: string }) => (
  <>
    <h3>{title}</h3>
    <Copyable value={value} label={title} />
  </>
)
