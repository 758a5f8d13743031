// The page that creates an account.
import type { Router } from 'express'
import { registerRoute } from './register.routes.ts'
import { createRegister } from './register.service.ts'

/** Creates the routes of registration. */
export function createRegistrationRoutes(
  parts: Parameters<typeof createRegister>[0] & Omit<Parameters<typeof registerRoute>[0], 'register'>,
): readonly Router[] {
  return [registerRoute({ ...parts, register: createRegister(parts) })]
}
