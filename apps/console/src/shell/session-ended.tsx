import { useEffect, useState } from 'react'
import { whenSignInNeeded } from '../api/client.ts'
import { startSignIn } from '../session/session.ts'
import type { SignInDemand } from '../session/sign-in-demand.ts'
import { text } from '../texts/texts.ts'
import { PageDialog } from '../ui/dialog.tsx'

interface Needed {
  readonly demand: SignInDemand | undefined
}

/**
 * Says that the session ended, or that a call demands another sign-in, and leads back to this page by it. What was typed stays until
 * then.
 */
export function SessionEnded() {
  const [needed, setNeeded] = useState<Needed | undefined>(undefined)
  useEffect(() => whenSignInNeeded((demand) => setNeeded({ demand })), [])
  if (needed === undefined) return null
  const { demand } = needed
  const help = demand?.acr_values === undefined ? 'session.ended.help' : 'session.weak.help'
  return (
    <PageDialog
      title={text(demand === undefined ? 'session.ended' : 'session.again')}
      onClose={() => setNeeded(undefined)}
    >
      {demand?.max_age !== undefined && (
        <p>{text('session.again.age', { minutes: Math.floor(demand.max_age / 60) })}</p>
      )}
      <p>{text(help)}</p>
      <button type="button" className="primary" onClick={() => void startSignIn(demand)}>
        {text('session.sign_in')}
      </button>
    </PageDialog>
  )
}
