import { type Html, html } from '@signet/http-server/html'
import type { RoleOffer } from '../consent/role-offers.ts'
import { layout, type PageFrame } from './page.ts'

export interface RolesPage {
  readonly requestId: string
  readonly csrfToken: string
  readonly offer: RoleOffer
  /** Who is asked. */
  readonly loginName: string
}

/** Names an organization and the roles that it gives a person of another one: `#roles-accept`, `#roles-refuse`. */
export function rolesPage(frame: PageFrame, { requestId, csrfToken, offer, loginName }: RolesPage): Html {
  const { consent, offeredRoles } = frame.texts
  const { organizationName, projectName, roles } = offer
  const names: Readonly<Record<string, string>> = offeredRoles.names
  const lines = roles.map((role) => html`<li>${names[role] ?? role}</li>\n`)
  const asks =
    projectName === undefined
      ? offeredRoles.asks(organizationName)
      : offeredRoles.asksForProject(organizationName, projectName)
  return layout(frame, {
    title: offeredRoles.title,
    content: html`<h1>${offeredRoles.title}</h1>
<p class="intro">${consent.account(loginName)}</p>
<p id="roles-asks">${asks}</p>
<ul class="scopes" aria-labelledby="roles-asks">
${lines}</ul>
<p>${offeredRoles.meaning}</p>
<form method="post" action="/ui/roles">
<input type="hidden" name="request" value="${requestId}">
<input type="hidden" name="csrf" value="${csrfToken}">
<input type="hidden" name="object" value="${offer.objectId}">
<input type="hidden" name="roles" value="${roles.join(' ')}">
<button id="roles-accept" type="submit" name="decision" value="accept">${offeredRoles.accept}</button>
<button class="second" id="roles-refuse" type="submit" name="decision" value="refuse">${offeredRoles.refuse}</button>
</form>`,
  })
}
