import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { ApiProblem } from './api/client.ts'
import { router } from './router.tsx'
import { AdministratorContext } from './session/administrator.ts'
import { type Administrator, signIn, startSignIn } from './session/session.ts'
import { SessionEnded } from './shell/session-ended.tsx'
import { language, text } from './texts/texts.ts'
import './ui/tokens.css'
import './ui/base.css'

document.documentElement.lang = language
const element = document.getElementById('root')
if (element === null) throw new Error('the page has no element for the console')
const root = createRoot(element)

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays one; an outage may end.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiProblem && error.status < 500 && error.status !== 429),
    },
  },
})

function show(administrator: Administrator): void {
  root.render(
    <QueryClientProvider client={client}>
      <AdministratorContext value={administrator}>
        <RouterProvider router={router} />
        <SessionEnded />
      </AdministratorContext>
    </QueryClientProvider>,
  )
}

function showRefusal(error: unknown): void {
  const { error: code, message } = error as { error?: string; message?: string }
  root.render(
    <main>
      <h1>{text('sign_in.refused')}</h1>
      <p className="alert">{[code, message ?? String(error)].filter(Boolean).join(': ')}</p>
      <p>{text('sign_in.refused.help')}</p>
      <button type="button" className="primary" onClick={() => void startSignIn()}>
        {text('session.sign_in')}
      </button>
    </main>,
  )
}

const RELOADED = 'signet-console.reloaded'
const RELOAD_PAUSE_MS = 10_000

// A page of this version may be gone after an update: the console is loaded again, which finds the names of the new files.
window.addEventListener('vite:preloadError', (event) => {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_PAUSE_MS) return
  event.preventDefault()
  sessionStorage.setItem(RELOADED, String(Date.now()))
  window.location.reload()
})

try {
  const signedIn = await signIn()
  if (signedIn) {
    await router.navigate({ to: signedIn.path.replace(/^\/console/, '') || '/', replace: true })
    show(signedIn.administrator)
  }
} catch (error) {
  showRefusal(error)
}
