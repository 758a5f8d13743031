// Metadata of SAML providers, which keep their certificates in step (docs/decisions/0108-metadata-of-saml-providers-adds-keys.md).
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { providerId, timestamp } from '../api/parameters.ts'
import { managesOrganization, onIdentityProvider } from '../permissions/permission.ts'
import { metadataMembers } from './given-metadata.ts'
import { importMetadata } from './metadata-import.service.ts'
import { identityProvider, PROVIDER_PATH } from './shown-provider.ts'

const metadataImport = z
  .strictObject({
    applied: z.boolean(),
    needs: z
      .array(z.enum(['otherEntityId', 'otherHost']))
      .readonly()
      .describe('Members that have to be true for these changes.'),
    changes: z
      .array(
        z.strictObject({
          member: z.enum(['issuer', 'ssoUrl', 'sloUrl']),
          before: z.string(),
          after: z.string(),
        }),
      )
      .readonly(),
    certificates: z
      .array(
        z.strictObject({
          fingerprint: z.string().describe('SHA-256 of the certificate in hexadecimal digits.'),
          validUntil: timestamp,
          state: z
            .enum(['added', 'kept', 'only_here'])
            .describe('only_here: the document does not have it. It stays until an update takes it out.'),
        }),
      )
      .readonly(),
    remarks: z.array(z.string()).readonly().describe('Parts of the document that have no effect.'),
    provider: identityProvider,
  })
  .meta({ id: 'MetadataImport' })

const EXAMPLE_METADATA = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.acme.example">
  <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>
      <X509Certificate>MIIBYDCCAQagAwIBAgIBATAKBggqhkjOPQQDAjAOMQwwCgYDVQQDDANpZHAwIBcNMjYxMTMwMDQ0NTQ1WhgPMjEyNjExMDYwNDQ1NDVaMA4xDDAKBgNVBAMMA2lkcDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJhwpX7xJuPCmxwDrDEIdkjYr00zJHwcECb9D318Ip7/lFMSTkZY8spvCF/OpIrp9Jp3Yg2hlec8IBQpjBCGLC+jUzBRMB0GA1UdDgQWBBTanOs4kO1BAxbITwEsu0i7/mj0NzAfBgNVHSMEGDAWgBTanOs4kO1BAxbITwEsu0i7/mj0NzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIAg4vNH9se1P5zCh3ijbv8K2WWYtiYZnuZOerudhJnYhAiEAomnw1M69ax82y7o1cq+gcrqDr90EWUtq+xxI6DE6XBc=</X509Certificate>
    </X509Data></KeyInfo></KeyDescriptor>
    <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.acme.example/sso"/>
  </IDPSSODescriptor>
</EntityDescriptor>`

export const metadataImportOperations = [
  operation({
    id: 'identity_provider.import_metadata',
    summary: 'Imports the metadata of a SAML provider',
    description:
      'Takes entity id, ssoUrl, sloUrl and certificates from the document. Certificates are added and none is taken out; no rule about signatures changes, and sloUrl stays where the document has none. Another entity id needs otherEntityId, another host of ssoUrl or sloUrl needs otherHost. With dryRun nothing is changed, and the response says what would be. Refused as identity_provider.update is.',
    method: 'post',
    path: `${PROVIDER_PATH}/metadata`,
    parameters: { providerId },
    request: z.strictObject({
      ...metadataMembers,
      dryRun: z.boolean().default(false).describe('Shows the changes without applying them.'),
      otherEntityId: z.boolean().default(false).describe('The entity id may change.'),
      otherHost: z.boolean().default(false).describe('People may be led to another host.'),
    }),
    example: { metadata: EXAMPLE_METADATA, dryRun: true },
    response: metadataImport,
    permission: onIdentityProvider(managesOrganization),
    handle: importMetadata,
  }),
]
