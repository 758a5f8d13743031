import { useEffect, useState } from 'react'
import { whenSessionEnds } from '../api/client.ts'
import { startSignIn } from '../session/session.ts'
import { text } from '../texts/texts.ts'
import { PageDialog } from '../ui/dialog.tsx'

/** Says that the session ended, and leads back to this page by a sign-in. What was typed stays until then. */
export function SessionEnded() {
  const [hasEnded, setEnded] = useState(false)
  useEffect(() => whenSessionEnds(() => setEnded(true)), [])
  if (!hasEnded) return null
  return (
    <PageDialog title={text('session.ended')} onClose={() => setEnded(false)}>
      <p>{text('session.ended.help')}</p>
      <button type="button" className="primary" onClick={() => void startSignIn()}>
        {text('session.sign_in')}
      </button>
    </PageDialog>
  )
}
