// The frame of the API reference (decision 129). It has no origin, no cookie, no storage and no network: the page around it sends
// each request, by the port that comes with the first message.
import './page-without-origin.ts'
import { createApiReference } from 'scalar-bundle'
import type { FrameAnswer, FrameRequest, FrameStart } from './messages.ts'

window.addEventListener('message', function start({ source, data, ports: [port] }: MessageEvent<FrameStart>) {
  if (source !== window.parent || port === undefined) return
  window.removeEventListener('message', start)
  show(data, createFetch(port))
})

function show({ document: description, language, operationId }: FrameStart, send: typeof fetch): void {
  document.documentElement.lang = language
  if (operationId !== undefined) window.location.hash = `tag/${operationId.split('.')[0]}/${operationId}`
  createApiReference('#reference', {
    content: description,
    customFetch: send,
    localization: { locale: language },
    generateOperationSlug: ({ operationId: id }: { readonly operationId: string }) => id,
    showOperationId: true,
    // Nothing of this page leaves it: no proxy, no telemetry, no fonts, no services of the maker.
    proxyUrl: '',
    telemetry: false,
    withDefaultFonts: false,
    externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    persistAuth: false,
    documentDownloadType: 'none',
    // The frame follows the colours of the system as the console does.
    hideDarkModeToggle: true,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    // Ctrl K is the console's.
    searchHotKey: 'j',
  })
}

/** Statuses whose responses have no body (RFC 9110). */
const WITHOUT_BODY = [204, 205, 304]

/** Returns a `fetch` whose requests the page around the frame sends. */
function createFetch(port: MessagePort): typeof fetch {
  const waiting = new Map<number, (answer: FrameAnswer) => void>()
  let count = 0
  port.onmessage = ({ data }: MessageEvent<FrameAnswer>) => {
    waiting.get(data.id)?.(data)
    waiting.delete(data.id)
  }
  return async (input, init) => {
    const { method, url, headers, body } = new Request(input, init)
    count += 1
    const request: FrameRequest = {
      ...{ id: count, method, url, headers: [...headers] },
      body: body === null ? undefined : await new Response(body).arrayBuffer(),
    }
    const answered = new Promise<FrameAnswer>((resolve) => waiting.set(request.id, resolve))
    port.postMessage(request)
    const answer = await answered
    return new Response(WITHOUT_BODY.includes(answer.status) ? null : answer.body, {
      status: answer.status,
      headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
    })
  }
}
