import type { UiLocale } from '@signet/protocol/authorization-parameters'
import ar from './texts/ar.json' with { type: 'json' }
import de from './texts/de.json' with { type: 'json' }
import en from './texts/en.json' with { type: 'json' }
import fr from './texts/fr.json' with { type: 'json' }
import ja from './texts/ja.json' with { type: 'json' }
import type { MailTexts } from './texts/mail-texts.ts'

/** The lines under the text of a message with a link, of a new sign-in or of an administrator who acts as the person; an organization cannot replace them. */
export interface AboutTexts {
  readonly account: string
  readonly organization: string
  readonly application: string
  readonly askedBy: string
  readonly registration: string
  readonly administrator: string
  readonly browser: string
  readonly address: string
  readonly actor: string
  readonly reason: string
}

export const ABOUT_TEXTS: Readonly<Record<UiLocale, AboutTexts>> = {
  en: {
    account: 'Account',
    organization: 'Organization',
    application: 'Application',
    askedBy: 'Asked for by',
    registration: 'the person who registered this account',
    administrator: 'an administrator of the organization',
    browser: 'Browser',
    address: 'Network address',
    actor: 'Administrator',
    reason: 'Reason',
  },
  de: {
    account: 'Konto',
    organization: 'Organisation',
    application: 'Anwendung',
    askedBy: 'Angefordert von',
    registration: 'der Person, die dieses Konto registriert hat',
    administrator: 'der Verwaltung der Organisation',
    browser: 'Browser',
    address: 'Netzwerkadresse',
    actor: 'Administration',
    reason: 'Grund',
  },
  fr: {
    account: 'Compte',
    organization: 'Organisation',
    application: 'Application',
    askedBy: 'Demandé par',
    registration: 'la personne qui a créé ce compte',
    administrator: 'un administrateur de l’organisation',
    browser: 'Navigateur',
    address: 'Adresse réseau',
    actor: 'Administrateur',
    reason: 'Motif',
  },
  ar: {
    account: 'الحساب',
    organization: 'المؤسسة',
    application: 'التطبيق',
    askedBy: 'بطلب من',
    registration: 'الشخص الذي سجّل هذا الحساب',
    administrator: 'أحد مسؤولي المؤسسة',
    browser: 'المتصفح',
    address: 'عنوان الشبكة',
    actor: 'المسؤول',
    reason: 'السبب',
  },
  ja: {
    account: 'アカウント',
    organization: '組織',
    application: 'アプリケーション',
    askedBy: '依頼者',
    registration: 'このアカウントを登録した人',
    administrator: '組織の管理者',
    browser: 'ブラウザ',
    address: 'ネットワークアドレス',
    actor: '管理者',
    reason: '理由',
  },
}

/** Every default text of every message. */
export const DEFAULT_TEXTS: Readonly<Record<UiLocale, MailTexts>> = { en, de, fr, ar, ja }
