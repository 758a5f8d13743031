import {
  chosenPasswordProblems,
  type PasswordComplexity,
  type PasswordProblem,
} from '../credentials/password-policy.ts'
import type { Registration, RegistrationForm, RegistrationProblem } from './registration.ts'

interface Rules {
  readonly complexity: PasswordComplexity | undefined
  readonly frequentPasswords: ReadonlySet<string>
}

const MOST_NAME = 200
const MOST_EMAIL = 320
const CONTROL = /\p{Cc}/u

/** The form cleaned up, or every problem that shows without asking who else is registered. */
export function checkRegistration(
  form: RegistrationForm,
  { complexity, frequentPasswords }: Rules,
):
  | { readonly registration: Registration }
  | { readonly problems: readonly [RegistrationProblem, ...RegistrationProblem[]] } {
  const userName = form.userName.normalize('NFC').trim()
  const email = form.email.trim()
  const givenName = form.givenName.trim()
  const familyName = form.familyName.trim()
  const preferredLanguage = form.preferredLanguage.trim()
  const [first, ...others] = [
    ...textProblems('user_name', userName, MOST_NAME, /[\s\p{Cc}]/u),
    ...textProblems('email', email, MOST_EMAIL, /^(?![^\s@\p{Cc}]+@[^\s@\p{Cc}]+$)/u),
    ...textProblems('given_name', givenName, MOST_NAME, CONTROL),
    ...textProblems('family_name', familyName, MOST_NAME, CONTROL),
    ...(preferredLanguage === '' || isLanguage(preferredLanguage)
      ? []
      : [{ field: 'preferred_language', code: 'invalid' } as const]),
    ...passwordFieldProblems(
      form.password,
      chosenPasswordProblems(form.password, complexity, frequentPasswords),
    ),
  ]
  if (first !== undefined) return { problems: [first, ...others] }
  return {
    registration: {
      userName,
      email,
      givenName,
      familyName,
      displayName: [...`${givenName} ${familyName}`].slice(0, MOST_NAME).join(''),
      preferredLanguage: preferredLanguage === '' ? undefined : preferredLanguage,
    },
  }
}

function textProblems(field: string, text: string, most: number, forbidden: RegExp): RegistrationProblem[] {
  if (text === '') return [{ field, code: 'required' }]
  if ([...text].length > most) return [{ field, code: 'too_long' }]
  return forbidden.test(text) ? [{ field, code: 'invalid' }] : []
}

function passwordFieldProblems(
  password: string,
  problems: readonly PasswordProblem[],
): readonly RegistrationProblem[] {
  if (password === '') return [{ field: 'password', code: 'required' }]
  // One is enough, however many rules of one kind are broken.
  return [...new Set(problems.map(({ code }) => code))].map((code) => ({ field: 'password', code }))
}

function isLanguage(tag: string): boolean {
  try {
    return tag.length <= 100 && Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
