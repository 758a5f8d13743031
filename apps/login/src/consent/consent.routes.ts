import { createFormBodyParser } from '@signet/http/forms'
import { type Html, html } from '@signet/http/html'
import { clientAddress } from '@signet/http/request-context'
import { noStore } from '@signet/http/response-headers'
import { AccessDeniedError } from '@signet/protocol/errors'
import { isLoopbackHost } from '@signet/protocol/redirect-uri'
import { Router } from 'express'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import {
  type AudienceNames,
  askedScopes,
  type FindAudienceNames,
  type FindDetailType,
  type FindOrganizationName,
} from '../authorize/consent-rule.ts'
import type { DeviceReference } from '../authorize/pending-authorization.ts'
import { deviceAsker } from '../device/device-asker.page.ts'
import { withoutFont } from '../pages/brand.ts'
import { pageForm } from '../pages/form-page.ts'
import { openedPage, submittedForm } from '../pages/forms.ts'
import { layout, type Page, type PageFrame, type PageFrames, sendPage } from '../pages/page.ts'
import { continuePath, PATHS, withRawQuery } from '../pages/paths.ts'
import type { Browser } from '../sessions/browser.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { AllowAccess, Consents } from './consent.service.ts'
import { detailSections, findDetailTypes } from './details.page.ts'
import { scopeLines } from './scope-lines.page.ts'

interface ConsentRouteDependencies {
  readonly flow: Pick<AuthorizationFlow, 'assess' | 'refuse'>
  readonly allowAccess: AllowAccess
  readonly consents: Pick<Consents, 'find'>
  readonly findAudienceNames: FindAudienceNames
  readonly findOrganizationName: FindOrganizationName
  readonly findDetailType: FindDetailType
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
}

/** The consent page (OIDC Core section 3.1.2.4). */
export function consentRoute(dependencies: ConsentRouteDependencies): Router {
  const { flow, allowAccess, consents, findAudienceNames, findOrganizationName, findDetailType } =
    dependencies
  const { cookies, frames } = dependencies
  return Router()
    .get(PATHS.consent, noStore, async (req, res) => {
      const { requestId, browser } = openedPage(req, cookies)
      const assessment = await flow.assess(requestId, browser)
      if (assessment.interaction !== 'consent') {
        res.redirect(303, continuePath(requestId))
        return
      }
      const { redirect, request, session, loginName } = assessment
      const { device } = assessment.progress
      const { clientId, name, organizationId, documentHost, isRegistered } = redirect.client
      const isForeign = organizationId !== session.organizationId && documentHost === undefined
      const page = consentPage(frames(req, request.uiLocales, withoutFont(await assessment.findBranding())), {
        requestId,
        browser,
        application: name,
        ...(device === undefined
          ? { host: hostOf(redirect.redirectUri), otherAccountPath: choicePath(assessment.stored) }
          : { host: undefined, otherAccountPath: PATHS.device }),
        device,
        documentHost,
        isSelfRegistered: isRegistered === true && !redirect.client.firstParty,
        staysOnDevice: device === undefined && staysOnDevice(redirect.redirectUri),
        organization: isForeign ? await findOrganizationName(organizationId) : undefined,
        scopes: askedScopes(request),
        allowed: await consents.find(session.userId, clientId),
        audiences: await findAudienceNames(request.scopes),
        details: await findDetailTypes(findDetailType, request.details),
        loginName,
      })
      sendPage(res, page)
    })
    .post(PATHS.consent, noStore, createFormBodyParser(), async (req, res) => {
      const { requestId, browser, form } = submittedForm(req, cookies, 'consent')
      if (form.decision !== 'allow') {
        const reason = 'consent_denied'
        await flow.refuse(
          requestId,
          browser,
          new AccessDeniedError('The user did not allow access', { reason }),
        )
      }
      await allowAccess(requestId, browser, clientAddress(req))
      res.redirect(303, continuePath(requestId))
    })
}

/** The same request with the choice of an account first. */
function choicePath(stored: Readonly<Record<string, string>>): string {
  const prompt = /\bconsent\b/.test(stored.prompt ?? '') ? 'select_account consent' : 'select_account'
  const { login_hint: _, ...parameters } = stored
  return withRawQuery(PATHS.authorize, new URLSearchParams({ ...parameters, prompt }).toString())
}

/** The host that gets the response; undefined for a native application, whose scheme says nothing to people. */
function hostOf(redirectUri: string): string | undefined {
  const { protocol, host } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? host : undefined
}

/** Whether a program on the device of the person gets the response. */
function staysOnDevice(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return !/^https?:$/.test(protocol) || isLoopbackHost(hostname)
}

interface ConsentPage {
  readonly requestId: string
  readonly browser: Browser
  /** Name of the application that asks. */
  readonly application: string
  /** The host of the application; undefined for a device. */
  readonly host: string | undefined
  /** The device that gets the access; undefined where the application gets it through this browser. */
  readonly device: DeviceReference | undefined
  /** Host of the document of a client that no organization registered. */
  readonly documentHost: string | undefined
  /** Whether the client registered itself, with a name of its own choice, and no IAM_OWNER made it first-party. */
  readonly isSelfRegistered: boolean
  /** Whether a program on the device of the person gets the response. */
  readonly staysOnDevice: boolean
  /** Path of the same request with the choice of an account. */
  readonly otherAccountPath: string
  /** Name of the organization that owns the application, if it is not the organization of the user. */
  readonly organization: string | undefined
  readonly scopes: readonly string[]
  /** The scopes that the user allowed before. */
  readonly allowed: ReadonlySet<string>
  /** The projects that the scopes name. */
  readonly audiences: AudienceNames
  /** The details that the application asks for beside the scopes. */
  readonly details: Awaited<ReturnType<typeof findDetailTypes>>
  /** Login name of the account that is asked. */
  readonly loginName: string
}

/** Warns of a client that no organization registered: `#consent-unregistered`, `#consent-loopback`. */
function unregisteredClient(
  { texts: { consent } }: PageFrame,
  host: string,
  { staysOnDevice }: Pick<ConsentPage, 'staysOnDevice'>,
): Html {
  return html`<p class="alert" id="consent-unregistered">${consent.unregistered({ host })}</p>
${staysOnDevice && html`<p class="alert" id="consent-loopback">${consent.loopback({ host })}</p>\n`}`
}

/** Names the application and the scopes (OIDC Core section 3.1.2.4): `#consent-allow`, `#consent-deny`. */
function consentPage(frame: PageFrame, page: ConsentPage): Page {
  const { consent, device } = frame.texts
  const isForDevice = page.device !== undefined
  const title = isForDevice ? device.consentTitle : consent.title
  const asks = isForDevice ? device.asks : consent.asks
  const lines = scopeLines(page.scopes, page, frame.texts).map(
    ({ text, isAllowed }) =>
      html`<li>${text}${isAllowed && html` <span class="quiet">${consent.allowedBefore}</span>`}</li>\n`,
  )
  return layout(frame, {
    title,
    content: html`<h1>${title}</h1>
<p class="intro">${consent.account({ loginName: page.loginName })}</p>
${page.device && deviceAsker(frame, page.device)}${page.documentHost !== undefined && unregisteredClient(frame, page.documentHost, page)}${page.isSelfRegistered && html`<p class="alert" id="consent-self-registered">${consent.selfRegistered}</p>\n`}<p id="consent-asks">${asks({ application: page.application })}</p>
${page.host !== undefined && html`<p class="quiet" id="consent-host">${consent.host({ host: page.host })}</p>\n`}${page.organization !== undefined && html`<p class="quiet" id="consent-owner">${consent.owner({ organization: page.organization })}</p>\n`}<ul class="scopes" aria-labelledby="consent-asks">
${lines}</ul>
${detailSections(page.details)}${pageForm(
  {
    path: PATHS.consent,
    attributes: html` class="choices"`,
    purpose: 'consent',
    browser: page.browser,
    subject: page.requestId,
  },
  html`<button id="consent-allow" type="submit" name="decision" value="allow">${consent.allow}</button>
<button class="second" id="consent-deny" type="submit" name="decision" value="deny">${consent.deny}</button>`,
)}
<p class="also"><a id="consent-other" href="${page.otherAccountPath}">${consent.other}</a></p>
<p class="also"><a id="consent-later" href="${PATHS.applications}">${consent.later}</a></p>`,
  })
}
