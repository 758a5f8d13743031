// OIDC Core section 3.1.2.1; `create` from Initiating User Registration via OpenID Connect section 4.1.
import { InvalidRequestError } from './errors.ts'

export const PROMPT_VALUES = ['none', 'login', 'consent', 'select_account', 'create'] as const

export type PromptValue = (typeof PROMPT_VALUES)[number]

/** The values of a `prompt` parameter; `InvalidRequestError` for an unknown one and for `none` beside another. */
export function parsePrompt(value: string | undefined): ReadonlySet<PromptValue> {
  const prompts = new Set<PromptValue>()
  for (const word of (value ?? '').split(' ')) {
    if (word === '') continue
    const prompt = PROMPT_VALUES.find((known) => known === word)
    if (prompt === undefined) {
      throw new InvalidRequestError(`prompt takes ${PROMPT_VALUES.join(', ')}`, { reason: 'prompt_unknown' })
    }
    prompts.add(prompt)
  }
  if (prompts.has('none') && prompts.size > 1) {
    throw new InvalidRequestError('prompt none cannot be combined with other values', {
      reason: 'prompt_none_combined',
    })
  }
  return prompts
}
