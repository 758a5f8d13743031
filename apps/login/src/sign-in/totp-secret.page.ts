import { type Html, html } from '@signet/http/html'
import { generate } from 'lean-qr'
import { toSvgPath } from 'lean-qr/extras/svg'
import type { Texts } from '../pages/texts/message.ts'
import type { NewSecret } from './totp.service.ts'

/** ISO/IEC 18004 section 9.1: four light modules around the symbol. */
const QUIET_ZONE = 4

/** The secret of a new authenticator as QR code, as text to type and as link: `#enrolment-qr`, `#enrolment-secret`. */
export function totpSecret({ enrolment }: Texts, { secret, uri }: NewSecret): Html {
  const code = generate(uri)
  const size = code.size + 2 * QUIET_ZONE
  return html`<svg id="enrolment-qr" class="qr" role="img" aria-label="${enrolment.qr}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" transform="translate(${QUIET_ZONE} ${QUIET_ZONE})" d="${toSvgPath(code)}"/></svg>
<p id="enrolment-key">${enrolment.key}</p>
<p class="secret"><code id="enrolment-secret" dir="ltr" aria-labelledby="enrolment-key">${inBlocksOfFour(secret)}</code></p>
<p class="also"><a id="enrolment-link" href="${uri}">${enrolment.open}</a></p>
`
}

/** Easier to type; authenticator apps ignore the spaces. */
const inBlocksOfFour = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ')
