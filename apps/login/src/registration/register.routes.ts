import { clientAddress } from '@signet/http-server/client-address'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { type Response, Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { LoginEvents } from '../events.ts'
import type { PageFrames } from '../http/page-frames.ts'
import { sendPage } from '../http/page-sender.ts'
import { orUnavailable } from '../http/unavailable.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { continuePath, interactionPath, PATHS, stepPath } from '../pages/paths.ts'
import { registerPage } from '../pages/register-page.ts'
import { type Browser, formToken } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { Register } from './register.service.ts'
import { REGISTRATION_FIELDS, type RegistrationProblem } from './registration-problem.ts'

export interface RegisterRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'look'>
  readonly register: Register
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

// The directory counts the tries of an address for an hour.
const RETRY_AFTER_SECONDS = 3600

/** Initiating User Registration via OpenID Connect: the form that makes an account and signs in to it. */
export function registerRoute({
  flow,
  register,
  cookies,
  frames,
  events,
}: RegisterRouteDependencies): Router {
  async function show(res: Response, browser: Browser, requestId: string, retry?: Retry): Promise<void> {
    const assessment = await flow.look(requestId, browser)
    if (!('registration' in assessment) || assessment.registration === undefined) {
      // Signed in meanwhile, or people may not register here.
      const { interaction } = assessment
      res.redirect(
        303,
        interaction === 'register' ? interactionPath('sign-in', requestId) : continuePath(requestId),
      )
      return
    }
    const { redirect, request, registration, loginName } = assessment
    const page = registerPage(frames(res.req, request.uiLocales), {
      requestId,
      csrfToken: formToken(browser, 'register', requestId),
      application: redirect.client.name,
      policy: registration,
      values: retry?.form ?? { [loginName.includes('@') ? 'email' : 'user_name']: loginName },
      problems: retry?.problems ?? [],
      isUnavailable: retry?.isUnavailable ?? false,
      signInPath: interactionPath('sign-in', requestId),
    })
    const status = retry === undefined ? 200 : statusOf(retry)
    if (status === 429) res.setHeader('Retry-After', RETRY_AFTER_SECONDS)
    sendPage(res, page, { status })
  }

  return Router()
    .get(PATHS.register, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      await show(res, browser, requestId)
    })
    .post(PATHS.register, noStore, formBody(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'register')
      const missing = REGISTRATION_FIELDS.filter((field) => (form[field] ?? '').trim() === '')
      if (missing.length > 0) {
        const problems = missing.map((field) => ({ field, code: 'required' }) as const)
        return show(res, browser, requestId, { form, problems })
      }
      const { request } = await flow.look(requestId, browser)
      const registration = {
        userName: form.user_name ?? '',
        email: form.email ?? '',
        givenName: form.given_name ?? '',
        familyName: form.family_name ?? '',
        password: form.password ?? '',
        preferredLanguage: frames(req, request.uiLocales).texts.language,
        clientAddress: clientAddress(req),
      }
      const outcome = await orUnavailable(() => register(requestId, browser, registration))
      switch (outcome.kind) {
        case 'signed-in':
          events.registered(req, outcome)
          cookies.setSignedIn(res, outcome)
          return res.redirect(303, continuePath(requestId))
        case 'next-step':
          return res.redirect(303, stepPath(outcome.step, requestId))
        case 'refused':
          return show(res, browser, requestId, { form, problems: outcome.problems })
        case 'unavailable':
          return show(res, browser, requestId, { form, problems: [], isUnavailable: true })
      }
    })
}

interface Retry {
  readonly form: Readonly<Record<string, string>>
  readonly problems: readonly RegistrationProblem[]
  readonly isUnavailable?: boolean
}

function statusOf({ problems, isUnavailable }: Retry): number {
  if (isUnavailable) return 503
  return problems.some(({ code }) => code === 'too_many_attempts') ? 429 : 400
}
