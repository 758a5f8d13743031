import type { TextKey } from '../texts/texts.ts'

/** The pages of the navigation, in its order. */
export const PLACES = [
  { path: '/', title: 'home' },
  { path: '/people', title: 'people' },
  { path: '/applications', title: 'applications' },
  { path: '/projects', title: 'projects' },
  { path: '/organizations', title: 'organizations' },
  { path: '/why', title: 'why' },
  { path: '/audit', title: 'audit' },
  { path: '/jobs', title: 'jobs' },
  { path: '/keys', title: 'keys' },
  { path: '/instance', title: 'instance' },
  { path: '/operations', title: 'operations' },
] as const satisfies readonly { readonly path: string; readonly title: TextKey }[]
