import { type ComponentProps, useState } from 'react'
import { PageDialog } from '../ui/dialog.tsx'
import { OperationForm } from './operation-form.tsx'

interface Props extends ComponentProps<typeof OperationForm> {
  /** The words of the button, and of the dialog's heading. */
  readonly label: string
  readonly className?: string
  /** Keeps the dialog open after the act and shows this, such as a secret that is shown once. */
  readonly shown?: (answer: unknown) => React.ReactNode
}

/** A button that opens the form of an operation. */
export function Act({ label, className, shown, onDone, ...form }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [answer, setAnswer] = useState<unknown>(undefined)
  const close = () => {
    setOpen(false)
    setAnswer(undefined)
  }
  return (
    <>
      <button type="button" className={className} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <PageDialog title={label} onClose={close}>
          {shown !== undefined && answer !== undefined ? (
            shown(answer)
          ) : (
            <OperationForm
              submit={label}
              {...form}
              onDone={(received) => {
                onDone?.(received)
                if (shown === undefined) close()
                else setAnswer(received ?? null)
              }}
            />
          )}
        </PageDialog>
      )}
    </>
  )
}
