import { QUICK_START_FILES } from '../api/gen/quick-start-files.ts'

/** The values of an application that its code is configured with. */
export interface AppValues {
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
export interface Stack {
  readonly title: string
  /** A kind of `signet application create`. */
  readonly kind: 'web' | 'spa'
  readonly port: number
  /** Paths of the redirect URIs. */
  readonly callback: string
  readonly signedOut?: string
  /** Further fields of the application. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly files: Readonly<Record<string, string>>
  readonly environment: (values: AppValues) => Readonly<Record<string, string>>
  readonly install: string
  readonly start: (port: string) => string
}

const clientEnvironment = ({ issuer, clientId, clientSecret, port }: AppValues) => ({
  SIGNET_ISSUER: issuer,
  CLIENT_ID: clientId,
  ...(clientSecret !== undefined && { CLIENT_SECRET: clientSecret }),
  PORT: port,
})

/** Puts the values of .env into the environment of a command, for programs that do not read the file. */
const withEnvironment = (command: string) => `set -a && . ./.env && set +a && ${command}`

export const STACKS: Readonly<Record<string, Stack>> = {
  express: {
    title: 'Express (Node.js)',
    kind: 'web',
    port: 4000,
    callback: '/callback',
    signedOut: '',
    files: QUICK_START_FILES.express,
    environment: clientEnvironment,
    install: 'npm install express express-openid-connect',
    start: () => 'node --env-file=.env server.mjs',
  },
  python: {
    title: 'Python (Flask)',
    kind: 'web',
    port: 4000,
    callback: '/callback',
    files: QUICK_START_FILES.flask,
    environment: clientEnvironment,
    install: 'python3 -m venv .venv && .venv/bin/pip install flask authlib requests',
    start: (port) => withEnvironment(`.venv/bin/flask run --host localhost --port ${port}`),
  },
  react: {
    title: 'React (in the browser)',
    kind: 'spa',
    port: 5173,
    callback: '/',
    signedOut: '/',
    files: QUICK_START_FILES.react,
    environment: ({ issuer, clientId }) => ({ VITE_SIGNET_ISSUER: issuer, VITE_CLIENT_ID: clientId }),
    install: 'npm install react react-dom react-oidc-context oidc-client-ts vite',
    start: (port) => `npx vite --port ${port}`,
  },
  nextjs: {
    title: 'Next.js (Auth.js)',
    kind: 'web',
    port: 4000,
    callback: '/api/auth/callback/signet',
    files: QUICK_START_FILES.nextjs,
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
    kind: 'web',
    port: 4000,
    callback: '/callback',
    files: QUICK_START_FILES.go,
    environment: clientEnvironment,
    install: 'go mod init example.com/shop && go get github.com/coreos/go-oidc/v3/oidc golang.org/x/oauth2',
    start: () => withEnvironment('go run .'),
  },
  spring: {
    title: 'Spring Boot',
    kind: 'web',
    port: 4000,
    callback: '/callback',
    fields: { accessTokenType: 'jwt' },
    files: QUICK_START_FILES.spring,
    environment: clientEnvironment,
    install: 'mvn --quiet compile',
    start: () => withEnvironment('mvn --quiet spring-boot:run'),
  },
}
