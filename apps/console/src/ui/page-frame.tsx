import { useEffect, useRef } from 'react'

interface Policy {
  createHTML(markup: string): string
}
interface Factory {
  createPolicy(name: string, rules: Policy): Policy
}

/** The one policy that the Content-Security-Policy of the console allows. Its markup is shown in a frame without rights alone. */
const policy: Policy = ((window as { readonly trustedTypes?: Factory }).trustedTypes?.createPolicy(
  'signet-page-preview',
  { createHTML: (markup) => markup },
) ?? { createHTML: (markup) => markup }) as Policy

interface Props {
  readonly title: string
  readonly markup: string
  readonly className: string
}

/**
 * Shows a document in a frame without rights: no script, no form, no origin and so no cookie, no way to another page
 * (`sandbox` without a word). It has the policy of the console, which loads nothing of another origin.
 */
export function PageFrame({ title, markup, className }: Props) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    if (frame.current !== null) frame.current.srcdoc = policy.createHTML(markup)
  }, [markup])
  return <iframe ref={frame} sandbox="" title={title} className={className} />
}
