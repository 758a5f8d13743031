// The forms of pages: the token of their browser, their problem, and the document around one form.
import { type Html, html } from '@signet/http/html'
import { type Browser, type FormPurpose, formToken } from '../sessions/browser.ts'
import { layout, type Page, type PageFrame } from './page.ts'

/** The purpose of a form. Its token counts in this browser only, for this purpose and this subject. */
export interface FormUse {
  readonly purpose: FormPurpose
  readonly browser: Pick<Browser, 'id'>
  /** The pending request, the session or the sign-out that the form is about. */
  readonly subject: string
}

interface FormElement {
  readonly path: string
  /** Further attributes of the form. */
  readonly attributes?: Html
}

/** `hidden`: the fields of `anonymousFields`. */
type Form = FormElement & (FormUse | { readonly hidden: Html })

/** A form with the hidden fields that `submittedForm` reads, before its own. */
export function pageForm({ path, attributes, ...use }: Form, fields: Html): Html {
  return html`<form method="post" action="${path}"${attributes}>
${'hidden' in use ? use.hidden : formFields(use)}
${fields}
</form>`
}

/** The hidden fields that `submittedForm` reads. */
export function formFields({ purpose, browser, subject }: FormUse): Html {
  return html`<input type="hidden" name="request" value="${subject}">
<input type="hidden" name="csrf" value="${formToken(browser, purpose, subject)}">`
}

/** Problem because of which a form is shown again; without a text every part is empty. */
export interface FormProblem {
  /** Id for `describedBy`. */
  readonly id: string | undefined
  readonly alert: Html | undefined
  /** An attribute of each field that has the problem. */
  readonly invalid: Html | undefined
}

/** The alert `#id` of a form, and what its fields say of it. */
export function formProblem(id: string, text: string | Html | undefined): FormProblem {
  if (text === undefined || text === '') return { id: undefined, alert: undefined, invalid: undefined }
  return {
    id,
    alert: html`<p class="alert" role="alert" id="${id}">${text}</p>`,
    invalid: html` aria-invalid="true"`,
  }
}

/** An attribute that names the elements which describe a field; nothing without elements. */
export function describedBy(...ids: readonly (string | undefined)[]): Html | undefined {
  const known = ids.filter((id) => id !== undefined)
  return known.length === 0 ? undefined : html` aria-describedby="${known.join(' ')}"`
}

interface FormPageContent {
  readonly title: string
  /** Above the problem. */
  readonly intro: Html
  readonly problem?: FormProblem
  /** Between the problem and the form. */
  readonly before?: Html | undefined
  readonly fields: Html
  /** Below the form. */
  readonly after?: Html | undefined
}

/** A page with one form. */
export function formPage(frame: PageFrame, page: Form & FormPageContent): Page {
  const { title, intro, problem, before, fields, after, ...form } = page
  return layout(frame, {
    title,
    content: html`<h1>${title}</h1>
${intro}${problem?.alert}
${before}${pageForm(form, fields)}${after}`,
  })
}
