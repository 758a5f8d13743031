import { account, applications, confirm, factors, footer, passkeys } from './account-ja.ts'
import type { Catalogue } from './message.ts'

/** Every text of the pages in Japanese. */
export const ja: Catalogue = {
  language: 'ja',
  product: 'Signet',
  throttled: {
    account: {
      seconds:
        'このアカウントへのログインの失敗回数が多すぎます。{count, plural, other {#秒}}待ってから、もう一度お試しください。',
      minutes:
        'このアカウントへのログインの失敗回数が多すぎます。{count, plural, other {#分}}待ってから、もう一度お試しください。',
    },
    network: {
      seconds:
        'お使いのネットワークからのログインの失敗回数が多すぎます。{count, plural, other {#秒}}待ってから、もう一度お試しください。',
      minutes:
        'お使いのネットワークからのログインの失敗回数が多すぎます。{count, plural, other {#分}}待ってから、もう一度お試しください。',
    },
  },
  login: {
    title: 'ログイン',
    intro: '{application} に進みます',
    loginName: 'ログイン名またはメールアドレス',
    password: 'パスワード',
    submit: 'ログイン',
    accounts: 'ログイン済みのアカウントを選ぶ',
    register: 'アカウントを作成',
    forgot: 'パスワードをお忘れですか？',
    show: '表示：',
    refused: 'ログイン名またはパスワードが正しくありません。両方を確認して、もう一度お試しください。',
    missing: 'ログイン名とパスワードを入力してください。',
    forbidden:
      'お客様の組織ではパスワードによるログインが許可されていません。組織の管理者にお問い合わせください。',
    unavailable: '現在ログインできません。しばらくしてからもう一度お試しください。',
  },
  register: {
    title: 'アカウントを作成',
    intro: '{application} に進みます',
    fields: {
      given_name: '名',
      family_name: '姓',
      email: 'メールアドレス',
      user_name: 'ユーザー名',
      password: 'パスワード',
    },
    passwordLength: '{characters, number}文字以上にしてください。15文字以上をおすすめします。',
    passwordNeeds: {
      uppercase: '英大文字を含めてください。',
      lowercase: '英小文字を含めてください。',
      number: '数字を含めてください。',
      symbol: '記号を含めてください。',
    },
    passwordAdvice:
      '互いに関係のない複数の単語を組み合わせると安全です。ご自身の名前、単語に年を付けただけのもの、ほかで使っているものは避けてください。',
    submit: 'アカウントを作成',
    signIn: 'お持ちのアカウントでログイン',
    check: '印の付いた項目を確認してください。',
    unavailable: '現在アカウントを作成できません。しばらくしてからもう一度お試しください。',
    problems: {
      required: 'この項目を入力してください。',
      invalid: 'この値は使用できません。入力内容を確認してください。',
      too_long: '長すぎます。',
      taken: 'すでに使用されています。別のものを選んでください。',
      address: '@ を含まない名前を選んでください。確認済みのメールアドレスでもサインインできます。',
      password_too_short: 'パスワードが短すぎます。文字を追加してください。',
      password_too_long: 'パスワードが長すぎます。256文字以内にしてください。',
      password_common:
        '多くの人が使っているパスワードのため、推測されやすくなっています。別のものを選んでください。',
      password_weak:
        'パスワードが推測されやすくなっています。名前、年、よくある単語を避け、互いに関係のない複数の単語を使うか、文字数を増やしてください。',
      password_breached:
        'このパスワードは、ほかのサービスへの不正侵入で流出しており、第三者に知られています。ほかで使っていないパスワードを選んでください。',
      password_policy: 'パスワードが条件を満たしていません。入力欄の上の条件を確認してください。',
      too_many_attempts: '試行回数が多すぎます。1時間後にもう一度お試しください。',
      not_allowed: 'ここではアカウントを作成できません。',
    },
  },
  totp: {
    title: '本人確認',
    intro: '{application} に進みます',
    advice: '認証アプリを開き、このアカウントに表示されているコードを入力してください。',
    code: 'コード',
    submit: '続ける',
    other: '別のアカウントでログイン',
    refused: 'コードが正しくないか、すでに使用されています。次のコードが表示されるまでお待ちください。',
    missing: 'コードを入力してください。',
    unavailable: '現在ログインできません。しばらくしてからもう一度お試しください。',
    recovery: '代わりにリカバリーコードを使う',
    recoveryCode: 'リカバリーコード',
    stoppedWithCodes:
      '第二要素は無効になりました。リカバリーコードを使用し、その後新しい要素を追加してください。',
    stopped:
      '第二要素は無効になり、リカバリーコードもありません。組織の管理者に要素のリセットを依頼してください。',
    recoveryRefused: 'リカバリーコードが正しくないか、すでに使用されています。',
    trust: 'このブラウザでは{duration}、2段階認証を求めない',
  },
  enrolment: {
    title: '2段階認証を設定',
    intro: '{application} に進みます',
    advice:
      '2段階認証が必要です。スマートフォンの認証アプリにこのアカウントを追加し、アプリに表示されるコードを入力してください。',
    qr: '認証アプリ用のQRコード。下のキーと同じ内容です',
    key: 'アプリに入力するキー',
    open: 'このデバイスの認証アプリを開く',
  },
  newPassword: {
    title: '新しいパスワードの設定',
    intro: '{application} に進みます',
    advice: 'パスワードを変更する必要があります。ほかのすべての場所からログアウトします。',
    password: '新しいパスワード',
    submit: 'パスワードを変更',
    same: '現在のパスワードと同じです。別のものを選んでください。',
  },
  recovery: {
    forgotTitle: 'パスワードの再設定',
    forgotIntro:
      'ログイン名を入力してください。確認済みのメールアドレスがあるアカウントであれば、そのアドレスにメールをお送りします。',
    forgotSubmit: 'メールを送信',
    missing: 'ログイン名を入力してください。',
    throttled: 'お使いのネットワークからのメール送信の依頼が多すぎます。1時間後にもう一度お試しください。',
    tooManyCodes: 'お使いのネットワークからのコードの入力回数が多すぎます。1時間後にもう一度お試しください。',
    passwordNotAllowed:
      'お客様の組織ではパスワードによるログインが許可されていないため、パスワードを設定できません。ログイン方法は組織の管理者にお問い合わせください。',
    unavailable: '現在この操作はできません。しばらくしてからもう一度お試しください。',
    sentTitle: 'メールを確認してください',
    sentIntro:
      'アカウントが存在し、メールアドレスが確認済みの場合は、メールをお送りしました。メールのリンクを開くか、メールに記載のコードをここに入力してください。',
    code: 'コード',
    codeSubmit: '続ける',
    again: 'メールをもう一度送る',
    back: 'ログインに戻る',
    resetIntro: 'すべての場所からログアウトします。2段階認証の設定は変わりません。',
    invitationTitle: 'ようこそ',
    invitationIntro: '新しいアカウントのパスワードを決めてください。',
    invitationSubmit: 'パスワードを設定',
    verifyTitle: 'メールアドレスの確認',
    verifyIntro: 'このメールアドレスがご自身のものであることを確認してください。',
    verifyCodeIntro: 'メールに記載のコードを入力してください。',
    verifySubmit: '確認',
    linkAccount: 'アカウント: {loginName}',
    linkOrganization: '組織: {organization}',
    linkApplication: 'アプリケーション: {application}',
    askedByRegistration: 'このアカウントを登録した人による依頼',
    askedByAdministrator: '組織の管理者による依頼',
    verifySignInIntro:
      'このアドレスがご自身のものであることを確認するには、このアカウントにログインしてください。',
    verifySignIn: 'ログインして確認する',
    verifyNewPassword: 'このアカウントのパスワードは他の人が設定しました',
    verifyNewPasswordIntro:
      '新しいパスワードを設定してください。このアカウントの現在のパスワード、第二要素、パスキー、リカバリーコード、セッションは無効になり、アドレスが確認されます。このアカウントが不要な場合は、このページを閉じてください。何も確認されません。',
    invitationVoids: 'このアカウントにこれまでの第二要素、パスキー、セッションがある場合は無効になります。',
    refusedTitle: 'このリンクは使用できません',
    invalid: 'リンクまたはコードの有効期限が切れているか、すでに使用されているか、一部が欠けています。',
    doneTitle: '完了しました',
    passwordDone: 'パスワードを設定しました。新しいパスワードでログインできます。',
    emailDone: 'メールアドレスを確認しました。このウィンドウを閉じてかまいません。',
  },
  accounts: {
    title: 'アカウントの選択',
    intro: '{application} に進みます',
    other: '別のアカウントを使う',
  },
  consent: {
    title: 'アクセスを許可しますか？',
    account: '{loginName} としてログイン中',
    asks: '{application} が次の許可を求めています。',
    owner: 'このアプリケーションは、お客様とは別の組織のものです：{organization}',
    allowedBefore: '（許可済み）',
    allow: '許可する',
    deny: '許可しない',
    later: 'アプリケーションのアクセスを確認・取り消す',
    scopes: {
      openid: 'アカウントによる本人の識別',
      profile: '名前などのプロフィール情報',
      email: 'メールアドレス',
      phone: '電話番号',
      address: '住所',
      offline_access: '利用していない間も続くアクセス',
      groups: 'このアプリケーションでのロール',
    },
    reserved: {
      organization: '所属組織の名前とドメイン',
      project: '組織 {organization} の {project} に対する代理操作',
      unknownProject: 'プロジェクト {projectId} に対する代理操作',
      api: 'お客様が持つすべての権限による、このサービスの管理',
      roles: 'ロール',
      metadata: 'アカウントに保存されているその他のデータ',
    },
  },
  offeredRoles: {
    title: '新しいロールを受け入れますか？',
    asks: '{organization} から、同組織での次のロールが付与されています。',
    asksForProject: '{organization} から、プロジェクト {project} での次のロールが付与されています。',
    meaning:
      'これらのロールを持つ間、所属組織はお客様のアクセスを終了できますが、パスワード、2段階認証、メールアドレスを単独で変更することはできません。',
    accept: '受け入れる',
    refuse: '断る',
    names: {
      ORG_OWNER: '組織のオーナー',
      ORG_OWNER_VIEWER: '組織の閲覧者',
      ORG_USER_MANAGER: '組織のユーザー管理者',
      ORG_ADMIN_IMPERSONATOR: '組織の管理者とユーザーの代理操作',
      ORG_END_USER_IMPERSONATOR: '組織のユーザーの代理操作',
      PROJECT_OWNER: 'プロジェクトのオーナー',
      PROJECT_OWNER_VIEWER: 'プロジェクトの閲覧者',
    },
  },
  applications,
  passkey: {
    signIn: 'パスキーでログイン',
    use: 'パスキーを使う',
    add: '代わりにパスキーを追加',
    refused: 'パスキーを確認できませんでした。もう一度お試しいただくか、パスワードでログインしてください。',
    expired: '時間切れになりました。もう一度お試しください。',
    forbidden:
      'お客様の組織ではパスキーだけでのログインが許可されていません。パスワードでログインしてください。',
    failed: 'パスキーは使用されませんでした。もう一度お試しいただくか、別の方法を選んでください。',
    notMade: 'パスキーは作成されませんでした。準備ができたら、もう一度お試しください。',
    known: 'このデバイスまたはパスワードマネージャーには、このアカウントのパスキーがすでにあります。',
    advice: 'または、お持ちのパスキーで確認してください。',
    only: 'お持ちのパスキーで確認してください。このブラウザで使用できない場合は、別のブラウザでログインしてください。',
  },
  passkeys,
  confirm,
  factors,
  footer,
  offer: {
    title: '次回からもっと簡単にログインしませんか？',
    advice:
      'パスキーがあれば、このデバイスの画面ロックでログインできます。パスワードを入力する必要がなく、盗まれる心配もありません。',
    add: 'パスキーを追加',
    skip: 'あとで',
    later: '「パスキー」のページからいつでも追加できます。',
  },
  account,
  logout: {
    title: 'ログアウト',
    question: 'このブラウザのすべてのアカウントからログアウトしますか？',
    application: '{application} がログアウトを求めています。',
    confirm: 'ログアウト',
  },
  signedOut: {
    title: 'ログアウトしました',
    advice: 'このウィンドウを閉じてかまいません。',
  },
  formPost: {
    title: 'お待ちください',
    advice: 'アプリケーションに戻ります。画面が変わらない場合は、ボタンを押してください。',
    submit: '続ける',
  },
  first: {
    title: 'ログインサービス',
    intro:
      'アプリケーションにログインするときに、このページが表示されます。このサービスは OpenID プロバイダー {issuer} です。',
    applications: 'アカウントを利用できるアプリケーション',
    factors: '2段階認証',
    passkeys: 'パスキー',
    discovery: 'OpenID の設定情報（開発者向け）',
    reference: '管理 API のリファレンス（管理者向け）',
  },
  rejected: {
    title: 'リクエストを受け付けられません',
    advice:
      'アプリケーションに戻り、最初からやり直してください。再び表示される場合は、このページをアプリケーションの運営者に見せてください。',
    code: 'エラーコード：{code}',
    requestId: 'リクエスト：{id}',
    received: '受信した値',
    registered: '登録済みの値',
  },
  reasons: {
    rate_limited:
      'お使いのネットワークからのリクエストが多すぎます。しばらく待ってから、もう一度お試しください。',
    client_unknown: 'client_id は、このサービスで有効なアプリケーションの ID ではありません。',
    client_id_missing: 'client_id がないか、複数回送信されています。',
    redirect_uri_missing: 'redirect_uri がないか、複数回送信されています。',
    redirect_uri_unregistered:
      'redirect_uri が、このアプリケーションの redirectUris にありません。いずれかと1文字ずつ完全に一致する必要があります。',
    parameter_repeated: '同じパラメーターが複数回送信されています。',
    parameter_zero_character: 'パラメーターにヌル文字が含まれています。',
    storage_limited:
      'このネットワークアドレスから開始されたログインが多すぎます。しばらくしてからもう一度お試しください。',
  },
  expired: {
    title: 'このページはもう必要ありません',
    continue: '{application} に進む',
    reason: 'このページは有効期限が切れているか、すでに使用されているか、別のブラウザで開かれています。',
    advice: 'アプリケーションに戻り、そこからもう一度ログインしてください。',
  },
  cookies: {
    reason: 'ブラウザからこのページの Cookie が送信されませんでした。',
    advice: 'このサイトの Cookie を許可し、アプリケーションに戻って最初からやり直してください。',
  },
  staleForm: {
    reason:
      'このページは最新ではありません。ページを開いた後に、このブラウザーは別の Cookie を受け取りました。',
    advice: 'ページを開き直して、もう一度操作してください。何も変更されていません。',
  },
  foreign: {
    reason: '別のウェブサイトがこのリクエストを送信しました。',
    advice: 'ご自身でページを開き、そこで入力してください。',
  },
  signOut: {
    reason:
      'アプリケーションから送信されたサインアウトのリクエストは処理できません。サインインしたままで、アプリケーションに戻ることはできません。',
    advice: 'ここからサインアウトできます。',
  },
  notFound: {
    title: 'ページが見つかりません',
    advice: '利用したいアプリケーションに戻り、そこからログインしてください。',
  },
  unavailable: {
    title: '現在ご利用いただけません',
    advice: 'サービスに接続できません。数秒後にこのページを再読み込みしてください。',
  },
  failure: {
    title: '問題が発生しました',
    advice: 'サービス側のエラーです。内容は記録されました。アプリケーションに戻り、もう一度お試しください。',
  },
}
