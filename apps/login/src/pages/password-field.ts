// The field of a password, with a button that shows what is typed (`public/show-password.js`).
import { type Html, html } from '@signet/http/html'
import type { RegistrationPolicy } from '../authorize/registration-rules.ts'
import type { PageFrame } from './page.ts'

interface PasswordField {
  readonly id: string
  readonly name: string
  /** The text of its label, which the name of the button repeats. */
  readonly label: string
  readonly autocomplete: 'current-password' | 'new-password'
  /** Further attributes of the input. */
  readonly attributes?: Html
}

/**
 * The login name that a password belongs to, for password managers, in a form that does not ask for it
 * (https://www.chromium.org/developers/design-documents/create-amazing-password-forms/).
 */
export function hiddenLoginName(loginName: string): Html {
  return html`<input type="text" name="username" autocomplete="username" value="${loginName}" readonly hidden>
`
}

/**
 * The input `#id` and the button `#id-show`, which only the script makes visible. The page has to be sent with the nonce of
 * the frame. A browser runs the module once, however many fields name it.
 */
export function passwordField(frame: PageFrame, field: PasswordField): Html {
  const { id, name, label, autocomplete, attributes } = field
  const title = `${frame.texts.login.show} ${label}`
  return html`<div class="password-field">
<input id="${id}" name="${name}" type="password" autocomplete="${autocomplete}" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="1000" required${attributes}>
<button class="second" id="${id}-show" type="button" hidden aria-pressed="false" aria-label="${title}" title="${title}" data-shows="${id}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12Z"/><circle cx="12" cy="12" r="2.8"/><path class="struck" d="M4 20 20 4"/></svg></button>
</div>
<script type="module" nonce="${frame.scriptNonce}" src="${frame.passwordScript}"></script>
`
}

/** The rules for a new password as text. */
export function passwordHint(
  { passwordLength, passwordNeeds, passwordAdvice }: PageFrame['texts']['register'],
  { passwordMinLength, passwordNeeds: needs }: RegistrationPolicy,
): string {
  const demanded = needs.map((need) => passwordNeeds[need])
  return [passwordLength({ characters: passwordMinLength }), ...demanded, passwordAdvice].join(' ')
}
