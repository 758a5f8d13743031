import { type Html, html } from '@signet/http/html'
import type { DeviceReference } from '../authorize/pending-authorization.ts'
import type { PageFrame } from '../pages/page.ts'

/**
 * Warns, and says where and when the request of a device began: people are talked into entering the codes of others. `#device-warning`,
 * `#device-asker`.
 */
export function deviceAsker({ texts }: PageFrame, { clientAddress, startedAt }: DeviceReference): Html {
  const { device, language } = texts
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
  return html`<p class="alert" id="device-warning">${device.warning}</p>
<p id="device-asker">${device.asker({ address: clientAddress, time: time.format(startedAt) })}</p>
`
}
