// Metadata of a SAML provider as a request gives it: the document, or the address that has it.
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { OutboundError } from '@signet/platform/outbound-http/guarded-agents'
import type { GetText } from '@signet/platform/outbound-http/http-calls'
import type { Clock } from '@signet/platform/runtime/clock'
import { z } from 'zod'
import { readSamlMetadata, type SamlMetadata } from './saml-metadata.ts'
import { isTlsUrl } from './saml-rules.ts'

/** A strict XML document has 256 KiB at most, and each of its characters one byte at least. */
const MOST_CHARACTERS = 262_144

export const metadataMembers = {
  metadata: z
    .string()
    .min(1)
    .max(MOST_CHARACTERS)
    .meta({ format: 'xml' })
    .optional()
    .describe('The metadata document of a SAML provider (XML). Its signature is not verified.'),
  metadataUrl: z
    .string()
    .max(2_000)
    .optional()
    .describe('The address of the document, in its place. It is read once and not kept.'),
}

export interface GivenMetadata {
  readonly metadata?: string | undefined
  readonly metadataUrl?: string | undefined
}

export interface MetadataReader {
  readonly getMetadata: GetText
  readonly now: Clock
}

/** Returns what a request gives; undefined without a document and an address. Rejects with ApiError. */
export async function givenMetadata(
  { metadata, metadataUrl }: GivenMetadata,
  { getMetadata, now }: MetadataReader,
): Promise<SamlMetadata | undefined> {
  if (metadata !== undefined && metadataUrl !== undefined) {
    throw refusedUrl('must be left out beside metadata')
  }
  if (metadata !== undefined) return readSamlMetadata(metadata, now())
  if (metadataUrl === undefined) return undefined
  if (!isTlsUrl(metadataUrl)) {
    throw refusedUrl('must be an https URL without fragment; http is for loopback hosts')
  }
  return readSamlMetadata(await fetched(metadataUrl, getMetadata), now())
}

/** Keycloak answers `application/xml` alone. */
const ACCEPTED = 'application/samlmetadata+xml, application/xml, text/xml'

async function fetched(url: string, getMetadata: GetText): Promise<string> {
  try {
    const { status, text } = await getMetadata(url, { Accept: ACCEPTED })
    if (status === 200) return text
    throw refusedUrl(`must answer with status 200; it answered ${status}, and redirects are not followed`)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw refusedUrl(FAILURES[error.reason], error)
  }
}

const FAILURES: Readonly<Record<OutboundError['reason'], string>> = {
  url_invalid: 'must be an https URL',
  address_refused: 'must have a public address, or one of SIGNET_OUTBOUND_ALLOW',
  timed_out: 'did not answer in time; give the document as metadata',
  connection_failed: 'could not be read; give the document as metadata',
  too_long: 'must answer with at most 1 MiB',
}

const refusedUrl = (rule: string, cause?: unknown) => invalidFields([{ field: 'metadataUrl', rule }], cause)
