/** The values of an application that its code is configured with. */
export interface QuickStartValues {
  readonly issuer: string
  readonly clientId: string
  /** Absent for an application without a secret. */
  readonly clientSecret: string | undefined
  readonly origin: string
  readonly port: string
  /** A new random text. */
  readonly random: () => string
}

/** A quick start of docs/quickstarts. */
export interface QuickStart {
  readonly title: string
  /** The folder of `examples` with its code. */
  readonly folder: string
  /** A kind of `signet application create`. */
  readonly kind: 'web' | 'spa'
  readonly port: number
  /** Paths of the redirect URIs. */
  readonly callback: string
  readonly signedOut?: string
  /** Further fields of the application. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** The content of `.env`. */
  readonly environment: (values: QuickStartValues) => Readonly<Record<string, string>>
  readonly install: string
  readonly start: (port: string) => string
}

const clientEnvironment = ({ issuer, clientId, clientSecret, port }: QuickStartValues) => ({
  SIGNET_ISSUER: issuer,
  CLIENT_ID: clientId,
  ...(clientSecret !== undefined && { CLIENT_SECRET: clientSecret }),
  PORT: port,
})

const viteEnvironment = ({ issuer, clientId }: QuickStartValues) => ({
  VITE_SIGNET_ISSUER: issuer,
  VITE_CLIENT_ID: clientId,
})

/** Puts the values of .env into the environment of a command, for programs that do not read the file. */
const withEnvironment = (command: string) => `set -a && . ./.env && set +a && ${command}`

/** The quick starts that `signet app add` writes and the console shows, by the name of the stack. */
export const QUICK_STARTS = {
  express: {
    title: 'Express (Node.js)',
    folder: 'express',
    kind: 'web',
    port: 4000,
    callback: '/callback',
    signedOut: '',
    environment: clientEnvironment,
    install: 'npm install express express-openid-connect',
    start: () => 'node --env-file=.env server.mjs',
  },
  python: {
    title: 'Python (Flask)',
    folder: 'flask',
    kind: 'web',
    port: 4000,
    callback: '/callback',
    environment: clientEnvironment,
    install: 'python3 -m venv .venv && .venv/bin/pip install flask authlib requests',
    start: (port) => withEnvironment(`.venv/bin/flask run --host localhost --port ${port}`),
  },
  django: {
    title: 'Python (Django)',
    folder: 'django',
    kind: 'web',
    port: 4000,
    callback: '/callback',
    environment: (values) => ({
      ...clientEnvironment(values),
      SECRET_KEY: `${values.random()}${values.random()}`,
    }),
    install: 'python3 -m venv .venv && .venv/bin/pip install django authlib requests',
    start: (port) => withEnvironment(`.venv/bin/python app.py runserver --noreload localhost:${port}`),
  },
  react: {
    title: 'React (in the browser)',
    folder: 'react',
    kind: 'spa',
    port: 5173,
    callback: '/',
    signedOut: '/',
    environment: viteEnvironment,
    install: 'npm install react react-dom react-oidc-context oidc-client-ts vite',
    start: (port) => `npx vite --port ${port}`,
  },
  vue: {
    title: 'Vue (in the browser)',
    folder: 'vue',
    kind: 'spa',
    port: 5173,
    callback: '/',
    signedOut: '/',
    environment: viteEnvironment,
    install: 'npm install vue oidc-client-ts vite @vitejs/plugin-vue',
    start: (port) => `npx vite --port ${port}`,
  },
  nextjs: {
    title: 'Next.js (Auth.js)',
    folder: 'nextjs',
    kind: 'web',
    port: 4000,
    callback: '/api/auth/callback/signet',
    environment: (values) => ({
      ...clientEnvironment(values),
      NEXTAUTH_URL: values.origin,
      NEXTAUTH_SECRET: `${values.random()}${values.random()}`,
    }),
    install: 'npm install next react react-dom next-auth',
    start: (port) => `npx next dev --port ${port}`,
  },
  go: {
    title: 'Go',
    folder: 'go',
    kind: 'web',
    port: 4000,
    callback: '/callback',
    environment: clientEnvironment,
    install: 'go mod init example.com/shop && go get github.com/coreos/go-oidc/v3/oidc golang.org/x/oauth2',
    start: () => withEnvironment('go run .'),
  },
  spring: {
    title: 'Spring Boot',
    folder: 'spring',
    kind: 'web',
    port: 4000,
    callback: '/callback',
    fields: { accessTokenType: 'jwt' },
    environment: clientEnvironment,
    install: 'mvn --quiet compile',
    start: () => withEnvironment('mvn --quiet spring-boot:run'),
  },
} as const satisfies Readonly<Record<string, QuickStart>>

/** `.env` as a file. */
export function environmentFile(environment: Readonly<Record<string, string>>): string {
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return ['# Keep this file out of version control.', ...lines, ''].join('\n')
}
