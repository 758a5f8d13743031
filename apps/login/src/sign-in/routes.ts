// The pages of a sign-in, and the services behind them.
import type { Router } from 'express'
import { accountsRoute } from './accounts.routes.ts'
import type { createSignInMeasure } from './measure-sign-ins.ts'
import { newPasswordRoute } from './new-password.routes.ts'
import { createNewPassword } from './new-password.service.ts'
import { createPasskeySignInSender, passkeyRoute } from './passkey.routes.ts'
import { createPasskeySignIn } from './passkey.service.ts'
import { createLoginPageSender, loginRoute } from './password.routes.ts'
import { createSignIn } from './sign-in.service.ts'
import { createEnrolmentPageSender, createTotpPageSender, enrolmentRoute, totpRoute } from './totp.routes.ts'
import { createEnrolment, createSecondFactor } from './totp.service.ts'

type ServiceParts = Parameters<typeof createSignIn>[0] &
  Parameters<typeof createNewPassword>[0] &
  Parameters<typeof createSecondFactor>[0] &
  Parameters<typeof createEnrolment>[0] &
  Parameters<typeof createPasskeySignIn>[0] & { readonly measured: ReturnType<typeof createSignInMeasure> }

type PageParts = Omit<Parameters<typeof loginRoute>[0], 'signIn' | 'sendWithPasskey'> &
  Omit<Parameters<typeof totpRoute>[0], keyof Services> &
  Omit<Parameters<typeof enrolmentRoute>[0], keyof Services> &
  Omit<Parameters<typeof newPasswordRoute>[0], 'newPassword'> &
  Omit<Parameters<typeof passkeyRoute>[0], keyof Services | 'party' | `show${string}`> & {
    /** Undefined: there are no passkeys. */
    readonly party: Parameters<typeof passkeyRoute>[0]['party'] | undefined
  }

type Services = ReturnType<typeof createServices>

/** The services of a sign-in; each attempt to prove a factor is counted. */
function createServices(parts: ServiceParts) {
  const { measured } = parts
  const passkeySignIn = createPasskeySignIn(parts)
  const secondFactor = createSecondFactor(parts)
  const enrolment = createEnrolment(parts)
  return {
    signIn: measured('password', createSignIn(parts)),
    newPassword: createNewPassword(parts),
    secondFactor: { ...secondFactor, signIn: measured('code', secondFactor.signIn) },
    enrolment: { ...enrolment, confirm: measured('enrolment', enrolment.confirm) },
    passkeySignIn: {
      ...passkeySignIn,
      signIn: measured('passkey', passkeySignIn.signIn),
      proveSecondFactor: measured('passkey_after_password', passkeySignIn.proveSecondFactor),
    },
  }
}

/** Creates the routes of a sign-in. */
export function createSignInRoutes(parts: ServiceParts & PageParts): readonly Router[] {
  const { party, passkeyForms } = parts
  const sendWithPasskey = passkeyForms && createPasskeySignInSender(passkeyForms)
  const pages = { ...parts, ...createServices(parts), sendWithPasskey }
  const routes = [loginRoute, totpRoute, enrolmentRoute, newPasswordRoute, accountsRoute].map((route) =>
    route(pages),
  )
  if (party === undefined || passkeyForms === undefined) return routes
  const shown = {
    showLogin: createLoginPageSender(pages),
    showSecondFactor: createTotpPageSender(pages),
    showEnrolment: createEnrolmentPageSender(pages),
  }
  return [...routes, passkeyRoute({ ...pages, ...shown, party })]
}
