import { text } from '../texts/texts.ts'
import { Copyable } from './copy.tsx'

const SHOWN_ONCE = ['clientSecret', 'token', 'privateKey', 'secret', 'keyFile', 'key'] as const

/** What an answer shows once: a secret, a token or a private key. */
export function Secret({ answer }: { readonly answer: unknown }) {
  const members = Object.entries((answer ?? {}) as Readonly<Record<string, unknown>>)
  const shown = members.filter(([name]) => SHOWN_ONCE.some((known) => known === name))
  return (
    <>
      <p className="alert">{text('secret.once')}</p>
      {shown.map(([name, value]) => (
        <Copyable
          key={name}
          label={name}
          value={typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
        />
      ))}
    </>
  )
}
