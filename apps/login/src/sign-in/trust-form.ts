// The choice of a person to trust the browser, with what is stored of it.
import type { IncomingMessage } from 'node:http'
import { agentText, readUserAgent } from '../sessions/user-agent.ts'
import type { TrustChoice } from './totp.service.ts'

/** Reads the checkbox `trust` of a form and the header User-Agent, of which only the two names are stored. */
export function readTrust(req: IncomingMessage, form: Readonly<Record<string, string>>): TrustChoice {
  return {
    trustsBrowser: form.trust === 'yes',
    agent: agentText(readUserAgent(req.headers['user-agent'])),
  }
}
