import { createFormBodyParser, queryParameters } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { type Request, type Response, Router } from 'express'
import { pageForm } from '../pages/form-page.ts'
import { submittedForm } from '../pages/forms.ts'
import { sendPage } from '../pages/page.ts'
import { ofAccount, PATHS } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { OwnAccount } from '../sessions/own-accounts.service.ts'
import { ownChange } from '../sessions/sign-in-proof.ts'
import { type AccountPageDependencies, accountPage, shownAccount } from './account-page.routes.ts'
import { type OwnDirectory, type OwnProfile, PROFILE_FIELDS, type ProfileProblem } from './own-directory.ts'

interface ProfileDependencies extends AccountPageDependencies {
  readonly ownDirectory: Pick<OwnDirectory, 'find' | 'updateProfile'>
}

const AUTOCOMPLETE = {
  given_name: 'given-name',
  family_name: 'family-name',
  nick_name: 'nickname',
  display_name: 'name',
} as const

/** The page on which users change their names and language: `#profile-given-name` …, `#profile-submit`. */
export function profileRoute(dependencies: ProfileDependencies): Router {
  const { ownDirectory, ownAccounts, cookies, frames } = dependencies

  function show(
    res: Response,
    { browser, account }: { readonly browser: Browser; readonly account: OwnAccount },
    profile: OwnProfile,
    problems: readonly ProfileProblem[] = [],
  ) {
    const frame = frames(res.req, account.language, account.branding)
    const { account: texts, register } = frame.texts
    const { sid } = account.session
    const isDone = problems.length === 0 && queryParameters(res.req).done === 'profile'
    const fields = PROFILE_FIELDS.map((field) => {
      const id = `profile-${field.replaceAll('_', '-')}`
      const problem = problems.find((one) => one.field === field)
      const described = problem && html` aria-invalid="true" aria-describedby="${id}-problem"`
      const label = html`<label for="${id}">${texts.profile.fields[field]}</label>\n`
      const text =
        problem && html`<p class="problem" id="${id}-problem">${register.problems[problem.code]}</p>\n`
      if (field !== 'preferred_language') {
        return html`${label}<input id="${id}" name="${field}" type="text" value="${profile[field]}" dir="auto" autocomplete="${AUTOCOMPLETE[field]}" maxlength="200"${field === 'display_name' && html` required`}${described}>\n${text}`
      }
      const chosen = profile[field]
      const others = chosen === '' || UI_LOCALES.some((locale) => locale === chosen) ? [] : [chosen]
      const options = ['', ...UI_LOCALES, ...others].map(
        (tag) =>
          html`<option value="${tag}"${tag === chosen && html` selected`}>${tag === '' ? texts.profile.anyLanguage : languageName(frame.texts.language, tag)}</option>`,
      )
      return html`${label}<select id="${id}" name="${field}"${described}>${options}</select>\n${text}`
    })
    const use = { path: PATHS.ownProfile, purpose: 'own-profile', browser, subject: sid } as const
    const content = html`${isDone && html`<p role="status" id="profile-done">${texts.saved}</p>`}
${pageForm(use, html`${fields}<button id="profile-submit" type="submit">${texts.profile.submit}</button>`)}`
    sendPage(
      res,
      accountPage(frame, account, { path: PATHS.ownProfile, title: texts.links.profile, content }),
      {
        isolated: true,
        status: problems.length === 0 ? 200 : 400,
      },
    )
  }

  return Router()
    .get(PATHS.ownProfile, noStore, async (req: Request, res: Response) => {
      const shown = await shownAccount(req, res, dependencies)
      if (shown === undefined) return
      const { profile } = await ownDirectory.find(shown.account.session.userId)
      show(res, shown, profile)
    })
    .post(PATHS.ownProfile, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId: sid, browser, form } = submittedForm(req, cookies, 'own-profile')
      const account = await ownAccounts.require(browser, sid)
      const profile = Object.fromEntries(
        PROFILE_FIELDS.map((field) => [field, form[field] ?? '']),
      ) as OwnProfile
      const change = ownChange(account.session, clientAddress(req))
      const problems = await ownDirectory.updateProfile(change, profile)
      if (problems.length > 0) return show(res, { browser, account }, profile, problems)
      const language = UI_LOCALES.find((locale) => locale === profile.preferred_language)
      if (language !== undefined) cookies.setLanguage(res, language)
      res.redirect(303, `${ofAccount(PATHS.ownProfile, sid)}&done=profile`)
    })
}

function languageName(language: string, tag: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}
