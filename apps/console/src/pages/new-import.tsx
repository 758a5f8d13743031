import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { quoted, quotedFile } from '../api/command.ts'
import { isOneObject } from '../api/streams.ts'
import { upload } from '../api/upload.ts'
import { text } from '../texts/texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { ChoiceFilter, TextFilter } from '../ui/filters.tsx'
import { Card, Page, Problem } from '../ui/page.tsx'

/** The largest body of a request that the server accepts. */
const MOST_BYTES = 268_435_456
const CONFLICTS = ['skip', 'update', 'fail'] as const
const INVALID = ['fail', 'skip', 'without_password'] as const

/** Uploads a document as a dry run; the page of its job shows the plan, and applies it. */
export function NewImportPage() {
  const id = useId()
  const navigate = useNavigate()
  const [file, setFile] = useState<File>()
  const [organizations, setOrganizations] = useState('')
  const [onConflict, setOnConflict] = useState<string>('skip')
  const [onInvalid, setOnInvalid] = useState<string>('fail')
  const [sent, setSent] = useState<number>()
  const [problem, setProblem] = useState<unknown>()
  const isTooLarge = file !== undefined && file.size > MOST_BYTES
  const orgIds = organizations.split(/[\s,]+/).filter(Boolean)
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (file === undefined) return
    setProblem(undefined)
    setSent(0)
    const members = { dryRun: true, onConflict, onInvalid, ...(orgIds.length > 0 && { orgIds }) }
    try {
      // Text behind the object would add members to the call.
      if (!(await isOneObject(file.stream()))) throw new Error(text('import.not_object'))
      // The browser reads the file while it sends it.
      const body = new Blob([JSON.stringify(members).slice(0, -1), ',"dataOrgs":', file, '}'])
      const job = await upload({ path: '/admin/v1/import', body, onProgress: setSent })
      await navigate({ to: '/jobs/$jobId', params: { jobId: (job as { id: string }).id } })
    } catch (error) {
      setSent(undefined)
      setProblem(error)
    }
  }
  const command = [
    'signet import',
    quotedFile(file?.name ?? 'FILE'),
    ...orgIds.map((organizationId) => `--into ${quoted(organizationId)}`),
    `--dry-run --on-conflict ${onConflict} --on-invalid ${onInvalid}`,
  ].join(' ')
  return (
    <Page title={text('import')}>
      <Card>
        <p>{text('import.help')}</p>
        <TextFilter
          label={text('import.into')}
          value={organizations}
          onChange={(value) => setOrganizations(value ?? '')}
        />
        <form className="stacked" onSubmit={(event) => void send(event)}>
          <div className="field">
            <label htmlFor={id}>{text('import.file')}</label>
            <input
              id={id}
              type="file"
              accept=".json,application/json"
              onChange={({ target }) => setFile(target.files?.[0])}
            />
            {isTooLarge && <p className="problem">{text('import.too_large')}</p>}
          </div>
          <ChoiceFilter
            label={text('import.on_conflict')}
            value={onConflict}
            options={CONFLICTS.map((rule) => [rule, text(`import.on_conflict.${rule}`)])}
            onChange={(rule) => setOnConflict(rule ?? 'skip')}
          />
          <ChoiceFilter
            label={text('import.on_invalid')}
            value={onInvalid}
            options={INVALID.map((rule) => [rule, text(`import.on_invalid.${rule}`)])}
            onChange={(rule) => setOnInvalid(rule ?? 'fail')}
          />
          <button
            type="submit"
            className="primary"
            disabled={file === undefined || isTooLarge || sent !== undefined}
          >
            {text('import.try')}
          </button>
        </form>
        {sent !== undefined && (
          <>
            <progress max={1} value={sent} aria-label={text('import.upload')} />
            <p role="status">{text('import.uploaded', { percent: Math.floor(sent * 100) })}</p>
          </>
        )}
        <Problem error={problem} />
        <details>
          <summary>{text('form.command')}</summary>
          <Copyable value={command} label={text('form.command')} />
        </details>
      </Card>
      <Card title={text('import.others')}>
        <p>{text('import.others.help')}</p>
        <Copyable value="signet import --from auth0 users.ndjson --dry-run" label={text('import.others')} />
      </Card>
    </Page>
  )
}
