// Composes the services of second factors: codes at a sign-in, enrolment, and the pages of their owners.
import type { signInMeasure } from '../sign-in/measure-sign-ins.ts'
import { createEnrolment, createSecondFactor } from '../sign-in/totp.service.ts'
import { createOwnFactors } from './own-factors.service.ts'

type Dependencies = Parameters<typeof createSecondFactor>[0] &
  Omit<Parameters<typeof createEnrolment>[0], 'makeRecoveryCodes'> &
  Parameters<typeof createOwnFactors>[0] & {
    readonly measured: ReturnType<typeof signInMeasure>
  }

export function createFactorFeature(dependencies: Dependencies) {
  const { measured, directory } = dependencies
  const secondFactor = createSecondFactor(dependencies)
  const enrolment = createEnrolment({ ...dependencies, makeRecoveryCodes: directory.makeRecoveryCodes })
  return {
    secondFactor: { ...secondFactor, signIn: measured('code', secondFactor.signIn) },
    enrolment: { ...enrolment, confirm: measured('enrolment', enrolment.confirm) },
    ownFactors: createOwnFactors(dependencies),
  }
}
