import { createContext, useContext } from 'react'
import type { Administrator } from './session.ts'

export const AdministratorContext = createContext<Administrator | undefined>(undefined)

/** Returns the person who is signed in. */
export function useAdministrator(): Administrator {
  const administrator = useContext(AdministratorContext)
  if (administrator === undefined) throw new Error('nobody is signed in')
  return administrator
}
