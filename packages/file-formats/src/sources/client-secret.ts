import { createHash } from 'node:crypto'
import { isSample, SAMPLE_RULE } from '@signet/protocol/placeholder'
import type { SourceMembers } from './conversion.ts'

/** SHA-256 alone does not protect a short secret. */
const LEAST_SECRET_CHARACTERS = 22

/** The hash of the secret of a client; undefined without one that can be kept, which is counted. */
export function secretHashOf(members: SourceMembers, member: string): string | undefined {
  const secret = members.text(member)
  if (secret === undefined) return undefined
  if (isSample(secret)) return void members.leaveOut(`${member}: ${SAMPLE_RULE}`)
  if (secret.length < LEAST_SECRET_CHARACTERS)
    return void members.leaveOut(`${member} of less than ${LEAST_SECRET_CHARACTERS} characters`)
  return `sha256$${createHash('sha256').update(secret).digest('base64url')}`
}
