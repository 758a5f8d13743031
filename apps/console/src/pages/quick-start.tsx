import { environmentFile, QUICK_STARTS, type QuickStart as Stack } from '@signet/protocol/quick-starts'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { answerOf, api } from '../api/client.ts'
import { quoted } from '../api/command.ts'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { ChoiceFilter } from '../ui/filters.tsx'
import { Card, Loaded } from '../ui/page.tsx'

type Application = Pick<
  components['schemas']['Application'],
  'id' | 'clientId' | 'type' | 'redirectUris' | 'grantTypes'
>

interface Props {
  readonly application: Application
  /** Known once, when the application was created. */
  readonly clientSecret?: string | undefined
}

/** The code of the quick starts, each file fetched when its stack is chosen. */
const FILES = import.meta.glob<string>(
  [
    '../../../../examples/{express,flask,django,react,vue,nextjs,go,spring}/**/*',
    '!../../../../examples/**/node_modules/**',
    '!../../../../examples/**/target/**',
    '!../../../../examples/**/package.json',
  ],
  { query: '?raw', import: 'default' },
)
const FOLDER = '../../../../examples/'

/** Working code with the application's own id, which turns green when the first sign-in arrives. */
export function QuickStart({ application, clientSecret }: Props) {
  const { type, grantTypes } = application
  const isSignIn = type !== 'api' && grantTypes.includes('authorization_code')
  return (
    <Card title={text('quick_start')}>
      {isSignIn ? (
        <>
          <Stacks application={application} clientSecret={clientSecret} />
          <FirstSignIn applicationId={application.id} />
        </>
      ) : (
        <Copyable value={exampleOf(application)} label="curl" />
      )}
    </Card>
  )
}

function exampleOf({ clientId, type }: Application): string {
  const issuer = window.location.origin
  const [path, values] =
    type === 'api'
      ? ['/oauth/v2/introspect', '-d token=TOKEN']
      : ['/oauth/v2/token', '-d grant_type=client_credentials']
  return `curl ${issuer}${path} --user ${quoted(`${clientId}:SECRET`)} \\\n  ${values}`
}

function Stacks({ application, clientSecret }: Props) {
  const kind = application.type === 'web' ? 'web' : 'spa'
  const offered = Object.entries(QUICK_STARTS).filter(([, stack]) => stack.kind === kind)
  const [chosen, setChosen] = useState(offered[0]?.[0] ?? '')
  const [, stack] = offered.find(([name]) => name === chosen) ?? []
  if (stack === undefined) return null
  return (
    <>
      <ChoiceFilter
        label={text('quick_start.for')}
        value={chosen}
        options={offered.map(([name, { title }]) => [name, title])}
        onChange={(name) => setChosen(name ?? '')}
      />
      <StackCode key={chosen} stack={stack} application={application} clientSecret={clientSecret} />
    </>
  )
}

function StackCode({ stack, application, clientSecret }: Props & { readonly stack: Stack }) {
  const { id, clientId, redirectUris } = application
  const local = redirectUris.map((uri) => new URL(uri)).find(({ hostname }) => hostname === 'localhost')
  const origin = local?.origin ?? `http://localhost:${stack.port}`
  const port = new URL(origin).port || String(stack.port)
  const redirectUri = `${origin}${stack.callback}`
  const files = useQuery({
    queryKey: ['operations', 'quick-start', stack.folder],
    queryFn: () => filesOf(stack.folder),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isPublic = application.type !== 'web'
  // Made once: a later one would have another secret than the file that was copied.
  const environment = useMemo(
    () =>
      stack.environment({
        issuer: window.location.origin,
        clientId,
        clientSecret: isPublic ? undefined : (clientSecret ?? 'THE-SECRET'),
        origin,
        port,
        random: () => crypto.randomUUID().replaceAll('-', ''),
      }),
    [stack, clientId, clientSecret, isPublic, origin, port],
  )
  return (
    <ol className="steps">
      {!redirectUris.includes(redirectUri) && (
        <li>
          <p>{text('quick_start.redirect', { redirectUri })}</p>
          <Act
            label={text('quick_start.register')}
            id="application.update"
            path={{ applicationId: id }}
            stored={{ redirectUris }}
            given={{ redirectUris: [...redirectUris, redirectUri] }}
            only={['redirectUris']}
          />
        </li>
      )}
      <li>
        <p>{text('quick_start.install')}</p>
        <Copyable value={stack.install} label={text('quick_start.install')} />
      </li>
      <li>
        <p>{text('quick_start.files')}</p>
        <details open>
          <summary>.env</summary>
          <Copyable value={environmentFile(environment)} label=".env" />
        </details>
        <Loaded query={files}>
          {(found) =>
            found.map(({ name, code }) => (
              <details key={name}>
                <summary>{name}</summary>
                <Copyable value={code} label={name} />
              </details>
            ))
          }
        </Loaded>
      </li>
      <li>
        <p>{text('quick_start.start', { origin })}</p>
        <Copyable value={stack.start(port)} label={text('quick_start.start', { origin })} />
      </li>
    </ol>
  )
}

async function filesOf(folder: string) {
  const own = Object.entries(FILES).filter(([path]) => path.startsWith(`${FOLDER}${folder}/`))
  return Promise.all(
    own.map(async ([path, load]) => ({
      name: path.slice(`${FOLDER}${folder}/`.length),
      code: await load(),
    })),
  )
}

/** Shows whether the application has had a sign-in. The count is read again each time that the window gets the focus. */
function FirstSignIn({ applicationId }: { readonly applicationId: string }) {
  const usage = useQuery({
    queryKey: ['application', applicationId, 'usage'],
    queryFn: () =>
      answerOf(
        api.GET('/management/v1/applications/{applicationId}/usage', { params: { path: { applicationId } } }),
      ),
    refetchOnWindowFocus: ({ state }) => (state.data?.sessions ? false : 'always'),
    retry: false,
  })
  const hasArrived = (usage.data?.sessions ?? 0) > 0
  return (
    <div className="actions">
      <p role="status" className={hasArrived ? 'good' : 'quiet'}>
        {text(hasArrived ? 'quick_start.arrived' : 'quick_start.waiting')}
      </p>
      {!hasArrived && (
        <button type="button" disabled={usage.isFetching} onClick={() => void usage.refetch()}>
          {text('quick_start.look')}
        </button>
      )}
    </div>
  )
}
