import type { TextKey } from '../texts/texts.ts'

/** The pages of the navigation, in its order. */
export const PLACES = [
  { path: '/', title: 'home' },
  { path: '/people', title: 'people' },
  { path: '/applications', title: 'applications' },
  { path: '/client-documents', title: 'client_documents' },
  { path: '/projects', title: 'projects' },
  { path: '/organizations', title: 'organizations' },
  { path: '/why', title: 'why' },
  { path: '/audit', title: 'audit' },
  { path: '/jobs', title: 'jobs' },
  { path: '/keys', title: 'keys' },
  { path: '/instance', title: 'instance' },
  { path: '/operations', title: 'operations' },
  { path: '/reference', title: 'reference' },
] as const satisfies readonly { readonly path: string; readonly title: TextKey }[]
