import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiProblem, watchedFetch } from '../api/client.ts'
import { type AdmittedRequest, admittedRequest, type Described } from '../api-reference/described-requests.ts'
import type { FrameAnswer, FrameRequest, FrameStart } from '../api-reference/messages.ts'
import { ownAnswer, sendRequest } from '../api-reference/send-request.ts'
import { useAdministrator } from '../session/administrator.ts'
import { language, text } from '../texts/texts.ts'
import { PageDialog } from '../ui/dialog.tsx'
import { Loaded, Page } from '../ui/page.tsx'

const FRAME = '/console/api-reference/index.html'

/** A request that waits for the person's word. */
interface Asked {
  readonly request: AdmittedRequest
  readonly answer: (isAllowed: boolean) => void
}

/**
 * The API reference with its search and its requests to try. It is a frame without origin, cookies and network (decision 129): this
 * page sends its requests, with the token that the person gave there, or as the person once they said so. Changes, and the first request with a token, are asked one by one.
 */
export function ApiReferencePage() {
  const description = useQuery({
    queryKey: ['operations', 'description'],
    queryFn: fetchDescription,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { operationId } = useSearch({ strict: false }) as { readonly operationId?: string }
  const { name } = useAdministrator()
  const [isAllowed, setAllowed] = useState(false)
  const [asked, setAsked] = useState<Asked>()
  const allowed = useRef(isAllowed)
  allowed.current = isAllowed
  const isAsking = useRef(false)
  const knownTokens = useRef(new Set<string>())
  const isWanted = useCallback((request: AdmittedRequest) => {
    const { authorization: token } = request.headers
    const isKnown = token === undefined || knownTokens.current.has(token)
    if (request.isPlainRead && isKnown) return Promise.resolve(true)
    // Another request would take the place of the one that the person reads.
    if (isAsking.current) return Promise.resolve(false)
    isAsking.current = true
    return new Promise<boolean>((answer) => setAsked({ request, answer }))
  }, [])
  const answerTo = useCallback(
    async (given: FrameRequest, described: Described): Promise<Omit<FrameAnswer, 'id'>> => {
      const request = admittedRequest(given, described, window.location.origin)
      if (request === undefined) return ownAnswer(403, text('reference.not_described'))
      if (!request.hasToken && !allowed.current) return ownAnswer(401, text('reference.no_token'))
      if (!(await isWanted(request))) return ownAnswer(403, text('reference.not_sent'))
      return sendRequest(request, watchedFetch)
    },
    [isWanted],
  )
  const decide = (isSent: boolean) => {
    isAsking.current = false
    setAsked(undefined)
    if (isSent && asked?.request.headers.authorization !== undefined)
      knownTokens.current.add(asked.request.headers.authorization)
    asked?.answer(isSent)
  }
  return (
    <Page
      title={text('reference')}
      actions={
        <label>
          <input type="checkbox" checked={isAllowed} onChange={({ target }) => setAllowed(target.checked)} />{' '}
          {text('reference.as_person', { name })}
        </label>
      }
    >
      <p className="quiet">
        {text('reference.help')} <a href="/management/v1/reference">{text('reference.plain')}</a>
      </p>
      <Loaded query={description}>
        {(document) => <Frame document={document} operationId={operationId} answerTo={answerTo} />}
      </Loaded>
      {asked !== undefined && (
        <PageDialog title={text('reference.send')} onClose={() => decide(false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              decide(true)
            }}
          >
            <p>
              {asked.request.hasToken
                ? text('reference.send.token_help')
                : text('reference.send.help', { name })}
            </p>
            <pre>{requestText(asked.request)}</pre>
            <div className="actions">
              <SendButton key={asked.request.url.href + asked.request.method} />
              <button type="button" onClick={() => decide(false)}>
                {text('reference.do_not')}
              </button>
            </div>
          </form>
        </PageDialog>
      )}
    </Page>
  )
}

interface FrameProps {
  readonly document: Described
  readonly operationId: string | undefined
  readonly answerTo: (request: FrameRequest, described: Described) => Promise<Omit<FrameAnswer, 'id'>>
}

/** The frame, and the port by which it asks for requests. */
function Frame({ document, operationId, answerTo }: FrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const port = useRef<MessagePort>(undefined)
  useEffect(() => () => port.current?.close(), [])
  const start = () => {
    const channel = new MessageChannel()
    port.current?.close()
    port.current = channel.port1
    channel.port1.onmessage = async ({ data }: MessageEvent<FrameRequest>) => {
      const answer: FrameAnswer = { id: data.id, ...(await answerTo(data, document)) }
      channel.port1.postMessage(answer, [answer.body])
    }
    const message: FrameStart = { document, language, operationId }
    // A document without an origin has no name; the policies of both pages let no other one into this frame.
    frame.current?.contentWindow?.postMessage(message, '*', [channel.port2])
  }
  return (
    <iframe
      ref={frame}
      className="reference"
      sandbox="allow-scripts"
      src={FRAME}
      title={text('reference')}
      onLoad={start}
    />
  )
}

async function fetchDescription(): Promise<Described> {
  const response = await fetch('/management/v1/openapi.json')
  if (!response.ok) throw new ApiProblem(response.status, undefined, undefined)
  return response.json() as Promise<Described>
}

/** How long a click that was already under way does not send. The frame chooses when the question appears. */
const DELAY_MS = 500

function SendButton() {
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <button type="submit" className="primary" disabled={!isReady}>
      {text('reference.send')}
    </button>
  )
}

/** Characters that are not seen, or change the order of what is read. */
const UNSEEN = /[^\P{C}\n\t]/gu

/** A request as the person reads it before it is sent; of a token its last characters. */
function requestText({ method, url, headers, body }: AdmittedRequest): string {
  const lines = Object.entries(headers).map(([name, value]) =>
    name === 'authorization' ? `${name}: Bearer …${value.slice(-4)}` : `${name}: ${value}`,
  )
  const sent = body === undefined ? [] : ['', new TextDecoder().decode(body)]
  return [`${method} ${url.pathname}${url.search}`, ...lines, ...sent]
    .join('\n')
    .replaceAll(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
