import type { PasswordContext } from '../accounts/account.ts'
import type { FindBreach } from './password-breaches.ts'
import { type PasswordProblem, passwordProblems } from './password-policy.ts'
import type { FindWeakness } from './password-strength.ts'

/**
 * The broken rules of a password that a person chose now, or an administrator for them: those of `passwordProblems`, and
 * it must be neither easy to guess (ASVS 6.2.4, 6.2.11) nor known from a breach (ASVS 6.2.12). The two expensive rules are
 * looked at when all others hold.
 */
export type CheckPassword = (
  password: string,
  context: PasswordContext,
) => Promise<readonly PasswordProblem[]>

const RULE_OF = {
  password_common: 'is among the passwords that are guessed first; choose another one',
  password_weak:
    'is easy to guess; choose several unrelated words, or more characters, without names, years and common words',
  password_breached: 'was published after a breach of another service; choose one that is used nowhere else',
} as const

export function createPasswordCheck({
  findWeakness,
  findBreach,
}: {
  readonly findWeakness: FindWeakness
  readonly findBreach: FindBreach
}): CheckPassword {
  return async (password, { complexity, words }) => {
    const problems = passwordProblems(password, complexity)
    if (problems.length > 0) return problems
    const composed = password.normalize('NFC')
    const code = (await findWeakness(composed, words)) ?? (await findBreach(composed))
    return code === undefined ? [] : [{ code, rule: RULE_OF[code] }]
  }
}
