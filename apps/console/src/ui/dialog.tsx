import type { ReactNode } from 'react'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'

interface Props {
  readonly title: string
  readonly onClose: () => void
  /** Keeps the dialog open while an act runs whose result it shows. */
  readonly isBusy?: boolean
  readonly children: ReactNode
}

/** A dialog above the page. Escape and a click beside it close it; the focus returns to where it was. */
export function PageDialog({ title, onClose, isBusy = false, children }: Props) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen
      isDismissable={!isBusy}
      isKeyboardDismissDisabled={isBusy}
      onOpenChange={(isOpen) => isOpen || onClose()}
    >
      <Modal>
        <Dialog className="dialog">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
