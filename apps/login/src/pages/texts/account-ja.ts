import type { Catalogue } from './message.ts'

/** The texts of the account pages in Japanese. */
export const account: Catalogue['account'] = {
  title: 'アカウント',
  pages: 'アカウントに関するページ',
  name: '名前',
  loginName: 'ログイン名',
  emailAddress: 'メールアドレス',
  noEmail: 'なし',
  verified: '（確認済み）',
  unverified: '（未確認）',
  others: 'このブラウザのほかのアカウント',
  back: 'アカウントに戻る',
  password: {
    advice:
      'ほかのすべての場所からログアウトします。アプリケーションにももう一度ログインする必要があります。',
    current: '現在のパスワード',
    missing: '現在のパスワードと新しいパスワードを入力してください。',
    refused: '現在のパスワードが正しくありません。',
    done: 'パスワードを変更し、ほかのすべての場所からログアウトしました。',
  },
  sessions: {
    began: 'ログイン：{time}（UTC）',
    used: '最終使用：{time}（UTC）',
    thisDevice: 'このデバイス',
    end: '{time} のセッションを終了',
    othersAdvice:
      'ほかのすべての場所からログアウトすると、このデバイスを含め、すべてのアプリケーションがアカウントにアクセスできなくなります。',
    endOthers: 'ほかのすべての場所からログアウト',
  },
  saved: '保存しました。',
  profile: {
    fields: {
      given_name: '名',
      family_name: '姓',
      nick_name: 'ニックネーム',
      display_name: '表示名',
      preferred_language: 'メールの言語',
    },
    anyLanguage: '指定なし',
    submit: '保存',
  },
  email: {
    intro: '新しいアドレスにメールをお送りします。確認が済むと、メールアドレスが変更されます。',
    newAddress: '新しいメールアドレス',
    submit: 'メールを送信',
    sent: '新しいアドレスにメールをお送りしました。このブラウザでメールのリンクを開くか、メールに記載のコードをここに入力してください。',
    confirm: '新しいメールアドレス {address} がご自身のものであることを確認してください。',
    signInFirst:
      '{address} は、あるアカウントのメールアドレスになる予定です。このブラウザでそのアカウントにログインしてから、メールのリンクをもう一度開いてください。',
    problems: {
      invalid: 'このメールアドレスは使用できません。入力内容を確認してください。',
      same: 'すでにこのメールアドレスが登録されています。',
      no_server: 'このサービスからメールをお送りできません。組織の管理者にお問い合わせください。',
      limited: 'メールの送信回数が多すぎます。1時間後にもう一度お試しください。',
      token: 'リンクまたはコードの有効期限が切れているか、すでに使用されているか、別のアカウントのものです。',
      throttled: 'お使いのネットワークからのコードの入力回数が多すぎます。1時間後にもう一度お試しください。',
    },
  },
  data: {
    intro:
      'ファイルには、プロフィール、セッション、アクセスできるアプリケーション、パスキー（秘密情報を除く）、最近100件のアクティビティが含まれます。',
    download: 'ファイルをダウンロード（JSON）',
  },
  deletion: {
    advice:
      'アカウントは、プロフィール、パスキー、2段階認証の設定とともに、ただちに完全に削除されます。すべての場所からログアウトし、すべてのアプリケーションがアクセスできなくなります。アプリケーション自身が保存しているデータは削除されません。',
    confirm: '確認のため {loginName} と入力してください',
    submit: 'アカウントを削除',
    refused: 'このアカウントのログイン名と一致しません。',
    forbidden:
      'このアカウントをご自身で削除することはできません。組織の管理者にお問い合わせください。管理者の方は、先にロールを返上する必要があります。',
    doneTitle: 'アカウントを削除しました',
    done: 'すべての場所からログアウトしました。',
  },
  links: {
    deletion: 'アカウントの削除',
    data: 'データのダウンロード',
    email: 'メールアドレスの変更',
    profile: 'プロフィールと言語',
    password: 'パスワードの変更',
    passkeys: 'パスキー',
    factors: '2段階認証',
    applications: 'アクセスできるアプリケーション',
    sessions: 'ログイン中の場所',
  },
}

export const applications: Catalogue['applications'] = {
  title: 'アプリケーション',
  intro:
    '次のアプリケーションがアカウントを利用できます。アクセスを取り消したアプリケーションは、もう一度許可を求める必要があります。',
  none: 'アクセスできるアプリケーションはありません。',
  end: '{application} のアクセスを取り消す',
  signInFirst:
    'このブラウザではログインしていません。先にアプリケーションにログインしてから、このページをもう一度開いてください。',
}

export const passkeys: Catalogue['passkeys'] = {
  title: 'パスキー',
  intro:
    'パスキーがあれば、パスワードの代わりにデバイスの画面ロックでログインできます。デバイスの紛失に備えて、複数のパスキーを用意してください。',
  none: 'このアカウントにはパスキーがありません。',
  added: '{day}に追加、{use}、{backup}。',
  used: '最終使用：{day}',
  unused: '未使用',
  synced: 'デバイス間で同期済み',
  syncable: '同期可能（未同期）',
  deviceBound: '1台のデバイスのみ',
  cloned:
    'ロック中：このパスキーが複製されている可能性があります。削除して、アカウントで何が起きたかを確認してください。',
  name: '名前',
  rename: '{name} の名前を変更',
  delete: '{name} を削除',
  add: 'パスキーを追加',
  addNeedsScript: 'パスキーの追加には、パスキーに対応し JavaScript が有効なブラウザが必要です。',
  notAllowed: 'このアカウントにはこれ以上パスキーを追加できません。',
  confirmFirst: 'パスキーを追加または削除するには、本人確認を行ってください。',
  refused: 'パスキーを追加できませんでした。もう一度お試しください。',
  nameInvalid: '名前は1～100文字で入力してください。',
}

export const confirm: Catalogue['confirm'] = {
  title: '本人確認',
  account: '{loginName} としてログイン中',
  password: 'パスワード',
  code: '認証アプリのコード',
  anyCode: '認証アプリのコードまたはリカバリーコード',
  submit: '確認',
  passkey: 'パスキーを使う',
  back: '戻る',
  refused: '確認できませんでした。パスワードとコードを確認するか、別のパスキーを使ってください。',
  passkeyNeedsScript: 'パスキーでの確認には、パスキーに対応し JavaScript が有効なブラウザが必要です。',
}

export const footer: Catalogue['footer'] = {
  terms: '利用規約',
  privacy: 'プライバシーポリシー',
  help: 'ヘルプ',
  docs: 'ドキュメント',
  support: 'お問い合わせ',
  newTab: '（新しいタブで開きます）',
  registration: '新しいアカウントに適用されます：',
}

export const factors: Catalogue['factors'] = {
  title: '2段階認証',
  intro: '2段階認証を設定すると、パスワードを他人に知られてもアカウントを守れます。',
  confirmFirst: '2段階認証を変更するには、本人確認を行ってください。',
  refused: 'この変更はできません。一覧を確認して、もう一度お試しください。',
  totp: '認証アプリ',
  totpSet: 'パスワードでのログインには、認証アプリのコードが必要です。',
  totpNotSet: 'このアカウントには認証アプリが設定されていません。',
  totpAdd: '認証アプリを追加',
  totpDelete: '認証アプリを削除',
  totpAdvice:
    'スマートフォンの認証アプリでQRコードを読み取るか、アプリにキーを入力してください。次に、アプリに表示されるコードを入力してください。',
  codes: 'リカバリーコード',
  codesLeft: '{count, plural, other {未使用のリカバリーコードが#個残っています。}}',
  noCodes:
    'リカバリーコードがありません。リカバリーコードがあれば、認証アプリやパスキーを使えなくなってもログインできます。',
  codesNeedFactor: 'リカバリーコードには2段階認証の設定が必要です。先に設定してください。',
  codesMake: 'リカバリーコードを作成',
  removalAdvice: 'この方法ではログインできなくなり、これに基づくセッションは終了します。',
  removalOthers: '他のすべての場所でログアウトする',
  removalEnded: '削除しました。この方法でログインしていたため、このセッションは終了しました。',
  codesRenewAdvice:
    '印刷済みのものも含め、以前のコードは使えなくなります。いずれかのコードで他の場所から始まったセッションは終了します。',
  codesRenew: 'リカバリーコードを再作成',
  codesAdvice:
    '各コードは、2段階認証の代わりに1回だけ使えます。印刷するか、パスワードマネージャーに保存してください。コードは二度と表示されず、以前のコードは使えなくなります。',
  codesKept: 'コードを保存しました',
  trust: '確認を求めないブラウザ',
  trusted: '一部のブラウザでは、ログインのたびの2段階認証を求めません。',
  notTrusted: 'すべてのブラウザで2段階認証を求めます。',
  trustEnd: 'すべてのブラウザで再び求める',
  trustUnknown: '不明なブラウザ',
  trustSince: '{time} (UTC) から信頼済み',
  trustEndOne: '再び確認する：{name}、{time}',
  back: '2段階認証に戻る',
}
