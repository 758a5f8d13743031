import type { Texts } from './en.ts'

/** The texts of the account pages in German. */
export const account: Texts['account'] = {
  title: 'Ihr Konto',
  pages: 'Seiten zu Ihrem Konto',
  name: 'Name',
  loginName: 'Anmeldename',
  email: 'E-Mail',
  noEmail: 'keine',
  verified: '(bestätigt)',
  unverified: '(nicht bestätigt)',
  others: 'Weitere Konten in diesem Browser',
  back: 'Zurück zu Ihrem Konto',
  links: {
    passkeys: 'Passkeys',
    applications: 'Anwendungen mit Zugriff',
  },
}
