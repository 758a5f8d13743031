import { useState } from 'react'
import type { components } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { Card } from '../ui/page.tsx'
import { saveFile } from '../ui/save-file.ts'
import { metadataUrlOf } from './redirect-uri.ts'

type IdentityProvider = components['schemas']['IdentityProvider']

/** The keys of Signet at a SAML provider, and the two acts that replace one, in their order. */
export function OwnKeys({ provider }: { readonly provider: IdentityProvider }) {
  const { id, name, ownCertificates, assertionEncryption, signAuthnRequests } = provider
  const [isAdded, setAdded] = useState(false)
  const path = { providerId: id }
  const count = ownCertificates.length
  const isNeeded = assertionEncryption !== 'none' || signAuthnRequests
  return (
    <Card title={text('provider.own_keys')}>
      <p>{text('provider.own_keys.help', { count })}</p>
      {isAdded && count > 1 && (
        <p className="good" role="status">
          {text('provider.own_keys.added')}
        </p>
      )}
      {ownCertificates.map((certificate, at) => (
        <Certificate
          key={certificate}
          label={text(count > 1 && at === 0 ? 'provider.own_keys.oldest' : 'provider.own_keys.newest')}
          value={certificate}
          isOpen={at === 1}
        />
      ))}
      <h3>{text('provider.own_keys.replace')}</h3>
      <ol>
        <li>{text('provider.own_keys.step.add')}</li>
        <li>{text('provider.own_keys.step.give', { url: metadataUrlOf(id) })}</li>
        <li>{text('provider.own_keys.step.retire')}</li>
      </ol>
      <div className="actions">
        {count < 2 && (
          <Act
            label={text('provider.own_keys.add')}
            id="identity_provider.add_key"
            path={path}
            consequence={text('provider.own_keys.add.does', { count })}
            onDone={() => setAdded(true)}
          />
        )}
        {(count > 1 || (count === 1 && !isNeeded)) && (
          <Act
            label={text('provider.own_keys.retire')}
            className="danger"
            id="identity_provider.retire_key"
            path={path}
            consequence={text('provider.own_keys.retire.ends', { count })}
            confirmation={name}
          />
        )}
      </div>
    </Card>
  )
}

interface CertificateProps {
  readonly label: string
  readonly value: string
  readonly isOpen: boolean
}

/** A certificate to copy, or to save as a file. */
function Certificate({ label, value, isOpen }: CertificateProps) {
  const pem = pemOf(value)
  const save = () => saveFile(new Blob([pem], { type: 'application/x-pem-file' }), 'signet.pem')
  return (
    <details open={isOpen}>
      <summary>{label}</summary>
      <Copyable label={label} value={pem} />
      <button type="button" onClick={save} aria-label={text('provider.own_keys.save_label', { label })}>
        {text('provider.own_keys.save')}
      </button>
    </details>
  )
}

/** A certificate in PEM (RFC 7468 section 5.1). */
const pemOf = (base64: string): string =>
  ['-----BEGIN CERTIFICATE-----', ...(base64.match(/.{1,64}/g) ?? []), '-----END CERTIFICATE-----', ''].join(
    '\n',
  )
