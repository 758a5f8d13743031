import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/client.ts'
import { text } from '../texts/texts.ts'
import { PageDialog } from '../ui/dialog.tsx'
import { Problem } from '../ui/page.tsx'

interface Props {
  readonly label: string
  readonly path: string
  readonly body?: object
  readonly consequence: string
  readonly confirmation?: string
}

/** A change of keys, which the description of the API does not have, after a question. */
export function KeyAct({ label, path, body, consequence, confirmation }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: () => call({ method: 'POST', path, body }),
    onSuccess: async () => {
      setOpen(false)
      await client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <>
      <button type="button" className="danger" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <PageDialog title={label} onClose={() => setOpen(false)}>
          <p className="alert">{consequence}</p>
          {confirmation !== undefined && (
            <label className="field">
              {text('form.confirm', { word: confirmation })}
              <input value={typed} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
            </label>
          )}
          <Problem error={act.error} />
          <button
            type="button"
            className="danger"
            disabled={act.isPending || (confirmation !== undefined && typed !== confirmation)}
            onClick={() => act.mutate()}
          >
            {label}
          </button>
        </PageDialog>
      )}
    </>
  )
}
