// The form and the script of a WebAuthn ceremony, which `public/passkey.js` runs.
import { type Html, html } from '@signet/http/html'
import type { Response } from 'express'
import { type Page, type PageFrame, sendPage } from '../pages/page.ts'
import { PATHS } from '../pages/paths.ts'
import { type FormPurpose, formToken } from '../sessions/browser.ts'
import type { PasskeyPerson } from './own-passkey.ts'
import type { ChallengeUse } from './passkey-challenge.ts'
import type { PasskeyOptions } from './passkey-options.ts'

interface PasskeyForm {
  readonly use: ChallengeUse
  /** Path to which the response is posted, and the purpose of its form token. */
  readonly action: string
  readonly formPurpose: FormPurpose
  readonly submitId: string
  readonly submit: string
  readonly isSecondary?: boolean
  /** Further fields, before the button. */
  readonly fields?: Html
}

/** Creates the forms. Browsers without script or WebAuthn do not show them. */
export interface PasskeyForms {
  /** A sign-in; `isAutofill` also lets the browser suggest passkeys in the field of the login name. */
  get(
    frame: PageFrame,
    form: PasskeyForm & {
      readonly passkeys?: Parameters<PasskeyOptions['get']>[1]
      readonly isAutofill?: boolean
    },
  ): Html
  create(frame: PageFrame, form: PasskeyForm & { readonly person: PasskeyPerson }): Html
  /** Sends a page with such forms. */
  send(
    res: Response,
    frame: PageFrame,
    page: (script: Html) => Page,
    options?: { readonly status?: number; readonly isolated?: boolean },
  ): void
}

export function createPasskeyForms(options: PasskeyOptions): PasskeyForms {
  return {
    get: (frame, { passkeys, isAutofill, ...form }) =>
      passkeyForm(frame, form, {
        ceremony: 'get',
        options: options.get(form.use, passkeys),
        failed: frame.texts.passkey.failed,
        ...(isAutofill && { isAutofill }),
      }),
    create: (frame, { person, ...form }) =>
      passkeyForm(frame, form, {
        ceremony: 'create',
        options: options.create(form.use, person),
        failed: frame.texts.passkey.notMade,
      }),
    send(res, frame, page, more = {}) {
      const { scriptNonce } = frame
      // A module, so that browsers too old for WebAuthn do not run it.
      const script = html`<script type="module" nonce="${scriptNonce}" src="${frame.passkeyScript}"></script>\n`
      sendPage(res, page(script), { ...more, connectsToSelf: true })
    },
  }
}

interface Ceremony {
  readonly ceremony: 'get' | 'create'
  readonly options: object
  readonly failed: string
  readonly isAutofill?: boolean
}

/** `name` stands before `type`: a form of the page without script comes first for clients that read hidden fields. */
function passkeyForm(
  { texts }: PageFrame,
  form: PasskeyForm,
  { ceremony, options, failed, isAutofill }: Ceremony,
): Html {
  const { purpose, browser, subject } = form.use
  const refresh = `${PATHS.passkeyChallenge}?${new URLSearchParams({ request: subject, for: purpose })}`
  return html`<form class="passkey" method="post" action="${form.action}" hidden data-passkey="${ceremony}" data-options="${JSON.stringify(options)}" data-refresh="${refresh}" data-failed="${failed}" data-known="${texts.passkey.known}"${isAutofill && html` data-autofill="yes"`}>
<input name="request" type="hidden" value="${subject}">
<input name="csrf" type="hidden" value="${formToken(browser, form.formPurpose, subject)}">
<input name="response" type="hidden" value="">
${form.fields}<button${form.isSecondary && html` class="second"`} id="${form.submitId}" type="submit">${form.submit}</button>
<p class="problem" role="status" id="${form.submitId}-problem"></p>
</form>
`
}
