// `/.well-known/security.txt` (RFC 9116).

import type { Clock } from '@signet/platform/runtime/clock'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { Router } from 'express'
import type { KeysConfig } from './config.ts'

const DAY_SECONDS = 24 * 60 * 60
/** RFC 9116 section 2.5.5 recommends less than a year. */
const VALID_DAYS = 90

/** The file with the contacts of the settings; no route without them, so that the path is 404. */
export function securityTxtRoutes(
  { issuer, securityContacts }: Pick<KeysConfig, 'issuer' | 'securityContacts'>,
  now: Clock,
): Router {
  const router = Router()
  if (securityContacts === undefined) return router
  return router.get(ENDPOINT_PATHS.securityTxt, (_req, res) => {
    res.setHeader('Cache-Control', `public, max-age=${DAY_SECONDS}`)
    res.type('text/plain; charset=utf-8').send(securityTxt(issuer, securityContacts, now()))
  })
}

/** RFC 9116 section 2.5: Contact in the order of preference, Expires at a midnight, and the one URL of the file. */
export function securityTxt(issuer: string, contacts: readonly string[], now: Date): string {
  const midnight = now.getTime() - (now.getTime() % (DAY_SECONDS * 1000))
  const expires = new Date(midnight + VALID_DAYS * DAY_SECONDS * 1000).toISOString().replace('.000Z', 'Z')
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires}`,
    `Canonical: ${issuer}${ENDPOINT_PATHS.securityTxt}`,
    '',
  ].join('\r\n')
}
