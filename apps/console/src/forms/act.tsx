import { type ComponentProps, type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react'
import { text } from '../texts/texts.ts'
import { PageDialog } from '../ui/dialog.tsx'
import { OperationForm } from './operation-form.tsx'

interface Props extends ComponentProps<typeof OperationForm> {
  /** The words of the button, and of the dialog's heading. */
  readonly label: string
  readonly className?: string
  /** Keeps the dialog open after the act and shows this, such as a secret that is shown once. */
  readonly shown?: (answer: unknown) => ReactNode
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
            <Shown onClose={close}>{shown(answer)}</Shown>
          ) : (
            <AfterNextPaint>
              <OperationForm
                submit={label}
                {...form}
                onDone={(received) => {
                  onDone?.(received)
                  if (shown === undefined) close()
                  else setAnswer(received ?? null)
                }}
              />
            </AfterNextPaint>
          )}
        </PageDialog>
      )}
    </>
  )
}

/** Renders a form after its dialog is painted: on a CPU slowed fourfold a click takes 48 ms, and 224 ms with the form. */
function AfterNextPaint({ children }: { readonly children: ReactNode }) {
  return useDeferredValue(true, false) ? children : null
}

/** An answer in the dialog of its act. It takes the focus from the form that is gone, so that Escape goes on to close the dialog. */
function Shown({ onClose, children }: { readonly onClose: () => void; readonly children: ReactNode }) {
  const content = useRef<HTMLDivElement>(null)
  useEffect(() => content.current?.focus(), [])
  return (
    <div ref={content} tabIndex={-1}>
      {children}
      <div className="actions">
        <button type="button" onClick={onClose}>
          {text('close')}
        </button>
      </div>
    </div>
  )
}
