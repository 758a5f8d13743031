import { useState } from 'react'
import { text } from '../texts/texts.ts'

/** A text to copy, such as a command or a secret. */
export function Copyable({ value, label }: { readonly value: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(true)
  }
  return (
    <div>
      <pre>
        <code>{value}</code>
      </pre>
      <button type="button" onClick={() => void copy()} aria-label={text('copy.label', { label })}>
        {isCopied ? text('copy.done') : text('copy')}
      </button>
    </div>
  )
}
