import { z } from 'zod'

/** An API server of Kubernetes that is asked whether tokens of its issuer still count. */
export interface TokenReviewServer {
  /** `iss` of its service account tokens. */
  readonly issuer: string
  /** Its origin, which may have a private address. */
  readonly url: string
  /** File with the token by which Signet creates TokenReviews; read for each call. */
  readonly tokenFile: string
  /** PEM file of its authority, read likewise; those that Node.js knows when left out. */
  readonly caFile?: string | undefined
}

const name = z.string().min(1)
const servers = z
  .array(z.strictObject({ issuer: name, url: name, tokenFile: name, caFile: name.optional() }))
  .min(1)
  .refine((list) => new Set(list.map(({ issuer }) => issuer)).size === list.length)

/** Reads a JSON list with one API server for each issuer; undefined for anything else. `isOrigin` decides about the URLs. */
export function readTokenReviews(
  text: string,
  isOrigin: (url: string) => boolean,
): readonly TokenReviewServer[] | undefined {
  try {
    const { data } = servers.safeParse(JSON.parse(text))
    return data?.every(({ url }) => isOrigin(url)) ? data : undefined
  } catch {
    return undefined
  }
}
