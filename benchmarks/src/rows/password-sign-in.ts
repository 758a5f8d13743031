import { formRequest, limitOf, sameLanes } from './requests.ts'
import type { LoadRow } from './row.ts'
import { signIn } from './sign-in.ts'

/** A person without a session: the sign-in page, the password, the redirect with a code. */
export const passwordSignIn: LoadRow = {
  kind: 'load',
  name: 'sign-in',
  title: 'sign in with a password (3 requests)',
  limit: 'reads the form, verifies one argon2id hash in a pool of the same size',
  budgets: [{ of: 'limit', atLeast: 0.85 }],
  async open(stage) {
    const { signet } = stage
    return [
      {
        name: 'signet',
        pids: (['login', 'directory', 'token'] as const).map((service) => signet.replica(service).pid),
        lanes: sameLanes(stage, async () => {
          await signIn(stage)
        }),
      },
      await limitOf(stage, {
        name: 'sign-in',
        work: 'argon2',
        like: formRequest(signet.originOf('login'), '/', { clientId: 'web', form: { login_name: 'alice' } }),
        answer: { status: 302, headers: {}, body: '' },
      }),
    ]
  },
}
