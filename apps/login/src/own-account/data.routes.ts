import { queryParameters } from '@signet/http/forms'
import { html } from '@signet/http/html'
import { noStore } from '@signet/http/response-headers'
import { Router } from 'express'
import { sendPage } from '../pages/page.ts'
import { confirmPath, ofAccount, PATHS } from '../pages/paths.ts'
import { type AccountPageDependencies, accountPage, shownAccount } from './account-page.routes.ts'
import type { OwnApplications } from './applications.service.ts'
import type { OwnDirectory } from './own-directory.ts'
import type { OwnFactors } from './own-factors.service.ts'
import type { OwnPasskeys } from './own-passkeys.service.ts'
import type { OwnSecurity } from './own-security.service.ts'
import type { IsConfirmed } from './usable-factors.ts'

interface DataDependencies extends AccountPageDependencies {
  readonly isConfirmed: IsConfirmed
  readonly ownDirectory: Pick<OwnDirectory, 'find' | 'activity'>
  readonly ownSecurity: Pick<OwnSecurity, 'sessions'>
  readonly ownApplications: Pick<OwnApplications, 'list'>
  readonly ownPasskeys: Pick<OwnPasskeys, 'list'>
  readonly ownFactors: Pick<OwnFactors, 'list'>
}

/** The page with the link to download the data of the account as JSON, without secrets: `#data-download`. */
export function dataRoute(dependencies: DataDependencies): Router {
  const { isConfirmed, frames } = dependencies
  return Router().get(PATHS.ownData, noStore, async (req, res) => {
    const shown = await shownAccount(req, res, dependencies)
    if (shown === undefined) return
    const { session } = shown.account
    if (!(await isConfirmed(session))) return res.redirect(303, confirmPath(session.sid, 'data'))
    if (queryParameters(req).download === 'yes') {
      res.setHeader('Content-Disposition', 'attachment; filename="account.json"')
      res.setHeader('Cache-Control', 'no-store')
      res.setHeader('X-Content-Type-Options', 'nosniff')
      res.type('json').send(`${JSON.stringify(await dataOf(shown, dependencies), null, 2)}\n`)
      return
    }
    const frame = frames(req, shown.account.language, shown.account.branding)
    const { data, links } = frame.texts.account
    const content = html`<p>${data.intro}</p>
<p><a id="data-download" href="${ofAccount(PATHS.ownData, session.sid)}&download=yes" download="account.json">${data.download}</a></p>`
    sendPage(res, accountPage(frame, shown.account, { path: PATHS.ownData, title: links.data, content }), {
      isolated: true,
    })
  })
}

async function dataOf(
  { browser, account }: NonNullable<Awaited<ReturnType<typeof shownAccount>>>,
  { ownDirectory, ownSecurity, ownApplications, ownPasskeys, ownFactors }: DataDependencies,
) {
  const { sid, userId } = account.session
  const [details, activity, sessions, applications, passkeys, factors] = await Promise.all([
    ownDirectory.find(userId),
    ownDirectory.activity(userId),
    ownSecurity.sessions(account),
    ownApplications.list(browser),
    ownPasskeys.list(browser),
    ownFactors.list(browser),
  ])
  const isOwn = (one: { readonly sid: string }) => one.sid === sid
  const own = factors.find(isOwn)
  const { profile, mayDelete: _, hasPassword: __, ...more } = details
  return {
    account: { userId, loginName: account.loginName, ...more },
    profile,
    sessions: sessions.map(({ authenticatedAt, lastUsedAt, signedInFrom, applications: used, isThis }) => ({
      signedInAt: new Date(authenticatedAt),
      lastUsedAt: new Date(lastUsedAt),
      ...signedInFrom,
      applications: used,
      thisDevice: isThis,
    })),
    applications: (applications.find(isOwn)?.applications ?? []).map(({ start: _, ...one }) => one),
    passkeys: (passkeys.find(isOwn)?.passkeys ?? []).map(({ name, createdAt, lastUsedAt, backedUp }) => ({
      ...{ name, createdAt, lastUsedAt, backedUp },
    })),
    secondFactors: {
      authenticatorApp: own?.totp ?? false,
      recoveryCodesLeft: own?.recoveryCodes ?? 0,
      trustedBrowsers: own?.trustedBrowsers ?? false,
    },
    activity,
  }
}
