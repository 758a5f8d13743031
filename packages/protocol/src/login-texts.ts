// The texts of the sign-in pages that an organization may replace (docs/spec 6.2, `loginTexts`). The directory refuses
// what the pages do not show; the pages show what remains.
import { hasVisibleCharacter, shownTextProblem } from './shown-text.ts'

const words = (names: string): readonly string[] => names.split(' ')

const MESSAGE = 'title description nextButtonText'
const TERMS = 'tosAndPrivacyLabel tosConfirm tosLinkText privacyConfirm privacyLinkText'
const NEW_PASSWORD = 'newPasswordLabel newPasswordConfirmLabel'
const AUTHENTICATOR = 'title description tokenNameLabel notSupported registerTokenButtonText errorRetry'
const PERSON = 'firstnameLabel lastnameLabel emailLabel usernameLabel'

/** Every text of the format: the names of the texts by the name of their screen. */
export const LOGIN_TEXT_SCREENS: Readonly<Record<string, readonly string[]>> = {
  selectAccountText: words(
    'title description titleLinkingProcess descriptionLinkingProcess otherUser sessionStateActive sessionStateInactive userMustBeMemberOfOrg',
  ),
  loginText: words(
    'title description titleLinkingProcess descriptionLinkingProcess userMustBeMemberOfOrg loginNameLabel registerButtonText nextButtonText externalUserDescription userNamePlaceholder loginNamePlaceholder',
  ),
  passwordText: words(
    'title description passwordLabel resetLinkText backButtonText nextButtonText minLength hasUppercase hasLowercase hasNumber hasSymbol confirmation',
  ),
  usernameChangeText: words('title description usernameLabel cancelButtonText nextButtonText'),
  usernameChangeDoneText: words(MESSAGE),
  initPasswordText: words(`title description codeLabel ${NEW_PASSWORD} nextButtonText resendButtonText`),
  initPasswordDoneText: words(`${MESSAGE} cancelButtonText`),
  emailVerificationText: words('title description codeLabel nextButtonText resendButtonText'),
  emailVerificationDoneText: words(`${MESSAGE} cancelButtonText loginButtonText`),
  initializeUserText: words(`title description codeLabel ${NEW_PASSWORD} resendButtonText nextButtonText`),
  initializeDoneText: words(`${MESSAGE} cancelButtonText`),
  initMfaPromptText: words('title description otpOption u2fOption skipButtonText nextButtonText'),
  initMfaOtpText: words(
    'title description descriptionOtp secretLabel codeLabel nextButtonText cancelButtonText',
  ),
  initMfaU2fText: words(AUTHENTICATOR),
  initMfaDoneText: words(`${MESSAGE} cancelButtonText`),
  mfaProvidersText: words('chooseOther otp u2f'),
  verifyMfaOtpText: words('title description codeLabel nextButtonText'),
  verifyMfaU2fText: words('title description validateTokenText notSupported errorRetry'),
  passwordlessText: words(
    'title description loginWithPwButtonText validateTokenButtonText notSupported errorRetry',
  ),
  passwordlessPromptText: words(
    'title description descriptionInit passwordlessButtonText nextButtonText skipButtonText',
  ),
  passwordlessRegistrationText: words(AUTHENTICATOR),
  passwordlessRegistrationDoneText: words(`${MESSAGE} descriptionClose cancelButtonText`),
  passwordChangeText: words(
    `title description oldPasswordLabel ${NEW_PASSWORD} cancelButtonText nextButtonText`,
  ),
  passwordChangeDoneText: words(MESSAGE),
  passwordResetDoneText: words(MESSAGE),
  registrationOptionText: words(
    'title description userNameButtonText externalLoginDescription loginButtonText',
  ),
  registrationUserText: words(
    `title description descriptionOrgRegister ${PERSON} languageLabel genderLabel passwordLabel passwordConfirmLabel ${TERMS} nextButtonText backButtonText`,
  ),
  registrationOrgText: words(
    `title description orgnameLabel ${PERSON} passwordLabel passwordConfirmLabel ${TERMS} saveButtonText`,
  ),
  linkingUserDoneText: words(`${MESSAGE} cancelButtonText`),
  externalUserNotFoundText: words(`title description linkButtonText autoRegisterButtonText ${TERMS}`),
  externalRegistrationUserOverviewText: words(
    `title description ${PERSON} nicknameLabel languageLabel phoneLabel ${TERMS} backButtonText nextButtonText`,
  ),
  successLoginText: words('title autoRedirectDescription redirectedDescription nextButtonText'),
  logoutText: words('title description loginButtonText'),
  footerText: words('tos privacyPolicy help supportEmail'),
}

/**
 * The texts that act, with the key of the text of the pages that each replaces. A key is never one of a message with
 * parameters, of the consent page or of a problem: these name the application and the account, and say what is wrong.
 */
export const PAGE_TEXTS = {
  'selectAccountText.title': 'accounts.title',
  'selectAccountText.description': 'custom.accountsDescription',
  'selectAccountText.otherUser': 'accounts.other',
  'loginText.title': 'login.title',
  'loginText.description': 'custom.loginDescription',
  'loginText.loginNameLabel': 'login.loginName',
  'loginText.registerButtonText': 'login.register',
  'loginText.nextButtonText': 'custom.loginNext',
  'passwordText.title': 'custom.passwordTitle',
  'passwordText.description': 'custom.passwordDescription',
  'passwordText.passwordLabel': 'login.password',
  'passwordText.resetLinkText': 'login.forgot',
  'passwordText.backButtonText': 'custom.passwordOther',
  'passwordText.nextButtonText': 'login.submit',
  'passwordText.hasUppercase': 'register.passwordNeeds.uppercase',
  'passwordText.hasLowercase': 'register.passwordNeeds.lowercase',
  'passwordText.hasNumber': 'register.passwordNeeds.number',
  'passwordText.hasSymbol': 'register.passwordNeeds.symbol',
  'initPasswordText.codeLabel': 'recovery.code',
  'initPasswordText.resendButtonText': 'recovery.again',
  'initMfaOtpText.title': 'enrolment.title',
  'initMfaOtpText.description': 'enrolment.advice',
  'initMfaOtpText.secretLabel': 'enrolment.key',
  'initMfaOtpText.codeLabel': 'custom.enrolmentCode',
  'initMfaOtpText.nextButtonText': 'custom.enrolmentSubmit',
  'verifyMfaOtpText.title': 'totp.title',
  'verifyMfaOtpText.description': 'totp.advice',
  'verifyMfaOtpText.codeLabel': 'totp.code',
  'verifyMfaOtpText.nextButtonText': 'totp.submit',
  'verifyMfaU2fText.description': 'passkey.only',
  'verifyMfaU2fText.validateTokenText': 'passkey.use',
  'passwordlessText.validateTokenButtonText': 'passkey.signIn',
  'passwordlessPromptText.title': 'offer.title',
  'passwordlessPromptText.description': 'offer.advice',
  'passwordlessPromptText.passwordlessButtonText': 'offer.add',
  'passwordlessPromptText.skipButtonText': 'offer.skip',
  'passwordChangeText.title': 'newPassword.title',
  'passwordChangeText.description': 'newPassword.advice',
  'passwordChangeText.oldPasswordLabel': 'account.password.current',
  'passwordChangeText.newPasswordLabel': 'newPassword.password',
  'passwordChangeText.nextButtonText': 'newPassword.submit',
  'passwordResetDoneText.title': 'recovery.sentTitle',
  'passwordResetDoneText.description': 'recovery.sentIntro',
  'passwordResetDoneText.nextButtonText': 'recovery.codeSubmit',
  'registrationUserText.title': 'register.title',
  'registrationUserText.description': 'custom.registerDescription',
  'registrationUserText.firstnameLabel': 'register.fields.given_name',
  'registrationUserText.lastnameLabel': 'register.fields.family_name',
  'registrationUserText.emailLabel': 'register.fields.email',
  'registrationUserText.usernameLabel': 'register.fields.user_name',
  'registrationUserText.passwordLabel': 'register.fields.password',
  'registrationUserText.nextButtonText': 'register.submit',
  'registrationUserText.backButtonText': 'register.signIn',
  'footerText.tos': 'footer.terms',
  'footerText.privacyPolicy': 'footer.privacy',
  'footerText.help': 'footer.help',
  'footerText.supportEmail': 'footer.support',
} as const

/** A text that acts: `loginText.title`. */
export type LoginText = keyof typeof PAGE_TEXTS

/** The texts of one language that act. */
export type LoginTexts = { readonly [T in LoginText]?: string }

const NO_PAGE = 'there is no such page'
const NO_TEXT = 'the page has no such text'
const NO_ORGANIZATION = 'the page belongs to no organization'
const PROBLEM = 'messages about problems are not replaced'

/** Reasons why texts do not act, by screen or by text; the reason of all others is `NO_TEXT`. */
const REASONS: Readonly<Record<string, string>> = {
  usernameChangeText: NO_PAGE,
  usernameChangeDoneText: NO_PAGE,
  initPasswordText: NO_ORGANIZATION,
  initPasswordDoneText: NO_ORGANIZATION,
  emailVerificationText: NO_ORGANIZATION,
  emailVerificationDoneText: NO_ORGANIZATION,
  initializeUserText: NO_ORGANIZATION,
  initializeDoneText: NO_ORGANIZATION,
  initMfaPromptText: NO_PAGE,
  initMfaU2fText: NO_PAGE,
  initMfaDoneText: NO_PAGE,
  passwordlessRegistrationText: NO_PAGE,
  passwordlessRegistrationDoneText: NO_PAGE,
  passwordChangeDoneText: NO_PAGE,
  registrationOptionText: NO_PAGE,
  registrationOrgText: NO_PAGE,
  linkingUserDoneText: NO_PAGE,
  externalUserNotFoundText: NO_PAGE,
  externalRegistrationUserOverviewText: NO_PAGE,
  successLoginText: NO_ORGANIZATION,
  logoutText: NO_ORGANIZATION,
  'passwordText.minLength': 'the text holds the length that the policy asks for',
  'verifyMfaU2fText.errorRetry': PROBLEM,
  'verifyMfaU2fText.notSupported': PROBLEM,
  'passwordlessText.errorRetry': PROBLEM,
  'passwordlessText.notSupported': PROBLEM,
  'selectAccountText.userMustBeMemberOfOrg': PROBLEM,
  'loginText.userMustBeMemberOfOrg': PROBLEM,
}

/** Returns the reason why a text of the format does not act; undefined for one that acts. */
export function whyLoginTextDoesNotAct(screen: string, name: string): string | undefined {
  const text = `${screen}.${name}`
  return text in PAGE_TEXTS ? undefined : (REASONS[text] ?? REASONS[screen] ?? NO_TEXT)
}

/** The most characters of a text. */
export const loginTextLimit = (name: string): number => (/^description/.test(name) ? 500 : 200)

/** The rule that a text breaks; undefined for one that the pages may show. */
function brokenTextRule(name: string, text: string): string | undefined {
  const most = loginTextLimit(name)
  if (text.length > most) return `must have at most ${most} characters`
  const problem = shownTextProblem(text)
  if (problem !== undefined) return problem
  // Without a visible character a button would have no name.
  return hasVisibleCharacter(text) ? undefined : 'must have a visible character'
}

interface BrokenText {
  /** `loginText.title`, or the name of a screen. */
  readonly text: string
  readonly rule: string
}

type Document = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object of texts that do not act, each with the rule that it breaks. Empty texts act: the default holds. */
export function brokenLoginTexts(texts: Document): readonly BrokenText[] {
  return Object.entries(texts).flatMap(([screen, members]): readonly BrokenText[] => {
    const names = Object.hasOwn(LOGIN_TEXT_SCREENS, screen) ? LOGIN_TEXT_SCREENS[screen] : undefined
    if (names === undefined) return [{ text: known(screen), rule: 'is no screen of the format' }]
    if (!isObject(members)) return [{ text: screen, rule: 'must be an object of texts' }]
    return Object.entries(members).flatMap(([name, value]) => {
      const rule = names.includes(name) ? ruleOf(screen, name, value) : 'is no text of the format'
      return rule === undefined ? [] : [{ text: `${screen}.${known(name)}`, rule }]
    })
  })
}

/** A name that a document chose is in notes and messages only if it is short. */
const known = (name: string): string => (/^\w{1,60}$/.test(name) ? name : '(unprintable)')

function ruleOf(screen: string, name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a text'
  if (value === '') return undefined
  const reason = whyLoginTextDoesNotAct(screen, name)
  return reason === undefined
    ? brokenTextRule(name, value)
    : `is not supported: ${reason}; leave it out or set it to ""`
}

/** The texts of an object of texts, by screen and name, that the pages show. */
export function obeyedLoginTexts(texts: Document): LoginTexts {
  return shownLoginTexts(
    Object.fromEntries(
      Object.keys(PAGE_TEXTS).map((text) => {
        const [screen = '', name = ''] = text.split('.')
        const members = texts[screen]
        return [text, isObject(members) ? members[name] : undefined]
      }),
    ),
  )
}

/** Returns the stored texts, by `loginText.title`, that the pages show under the present rules. */
export function shownLoginTexts(stored: Document): LoginTexts {
  const shown = Object.keys(PAGE_TEXTS).flatMap((text) => {
    const value = stored[text]
    const [, name = ''] = text.split('.')
    const isShown = typeof value === 'string' && value !== '' && brokenTextRule(name, value) === undefined
    return isShown ? [[text, value]] : []
  })
  return Object.fromEntries(shown)
}
