import {
  backChannelTargetProblem,
  linkProblem,
  originProblem,
  redirectTargetProblem,
} from '@signet/protocol/redirect-uri'
import { z } from 'zod'

export const httpUrl = z.string().max(2000).refine(isHttpUrl, 'must be an http or https URL')

/** The rules of the application's type are checked with the whole application. */
export const redirectUri = z.string().max(2000).superRefine(obeys(redirectTargetProblem))

export const backChannelLogoutUri = z.string().max(2000).superRefine(obeys(backChannelTargetProblem))

export const origin = z.string().max(2000).superRefine(obeys(originProblem))

/** Of a policy: shown on pages. Empty: none. */
export const link = z
  .string()
  .max(1000)
  .superRefine(obeys((uri) => (uri === '' ? undefined : linkProblem(uri))))

function obeys(problemOf: (value: string) => string | undefined) {
  return (value: string, context: z.RefinementCtx) => {
    const message = problemOf(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  }
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)
}
