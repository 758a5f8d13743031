import { useState } from 'react'
import type { components } from '../api/gen/schema.ts'
import { OperationForm } from '../forms/operation-form.tsx'
import { moment, text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { PageDialog } from '../ui/dialog.tsx'
import { Card } from '../ui/page.tsx'
import { consumerOf, metadataUrlOf } from './redirect-uri.ts'

type IdentityProvider = components['schemas']['IdentityProvider']
type MetadataImport = components['schemas']['MetadataImport']

/** The values that the administrator of a SAML provider needs. */
export function SamlPartner({ provider }: { readonly provider: IdentityProvider }) {
  const { id, clientId, assertionConsumerPath } = provider
  const values = [
    [text('provider.saml.metadata'), metadataUrlOf(id)],
    [text('provider.saml.entity'), clientId],
    [text('provider.saml.acs'), consumerOf(id, assertionConsumerPath)],
  ] as const
  return (
    <Card title={text('provider.saml.partner')}>
      <p>{text('provider.saml.partner.help')}</p>
      {values.map(([label, value]) => (
        <div key={label} className="field">
          <span className="label">{label}</span>
          <Copyable label={label} value={value} />
        </div>
      ))}
    </Card>
  )
}

/** The certificates of a SAML provider, and the import of more by its metadata. */
export function Keys({ provider: { id, certificates } }: { readonly provider: IdentityProvider }) {
  const [isOpen, setOpen] = useState(false)
  const [answer, setAnswer] = useState<MetadataImport>()
  const close = () => {
    setOpen(false)
    setAnswer(undefined)
  }
  return (
    <Card title={text('provider.saml.keys')}>
      <p>{text('provider.saml.keys.help', { count: certificates.length })}</p>
      <div className="actions">
        <button type="button" onClick={() => setOpen(true)}>
          {text('provider.saml.import')}
        </button>
      </div>
      {isOpen && (
        <PageDialog title={text('provider.saml.import')} onClose={close}>
          <OperationForm
            id="identity_provider.import_metadata"
            submit={text('provider.saml.import')}
            path={{ providerId: id }}
            given={{ dryRun: true }}
            onDone={(received) => setAnswer(received as MetadataImport)}
          />
          {answer && <Plan plan={answer} />}
        </PageDialog>
      )}
    </Card>
  )
}

/** The changes of an import, which have happened or would happen. */
function Plan({ plan }: { readonly plan: MetadataImport }) {
  const { applied, needs, changes, certificates, remarks } = plan
  return (
    <section aria-label={text('provider.saml.plan')}>
      <p className={applied ? 'good' : 'alert'}>
        {text(applied ? 'provider.saml.applied' : 'provider.saml.planned')}
      </p>
      <ul>
        {needs.map((flag) => (
          <li key={flag}>{text('provider.saml.needs', { flag })}</li>
        ))}
        {changes.map(({ member, before, after }) => (
          <li key={member}>{text('provider.saml.change', { member, before, after })}</li>
        ))}
        {certificates.map(({ fingerprint, validUntil, state }) => (
          <li key={fingerprint}>
            {text(`provider.saml.certificate.${state}`, { until: moment(validUntil) })}{' '}
            <code>{fingerprint}</code>
          </li>
        ))}
        {remarks.map((remark) => (
          <li key={remark}>{remark}</li>
        ))}
      </ul>
    </section>
  )
}
