import type { RegistrationPolicy } from '../registration/registration-rules.ts'
import type { PageFrame } from './page.ts'

/** What a new password needs, in words. */
export function passwordHint(
  { passwordLength, passwordNeeds }: PageFrame['texts']['register'],
  { passwordMinLength, passwordNeeds: needs }: RegistrationPolicy,
): string {
  return [passwordLength(String(passwordMinLength)), ...needs.map((need) => passwordNeeds[need])].join(' ')
}
