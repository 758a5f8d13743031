// Runs the WebAuthn ceremonies of a page. SimpleWebAuthnBrowser stands before this text in the same file.
;(() => {
  const {
    browserSupportsWebAuthn,
    browserSupportsWebAuthnAutofill,
    platformAuthenticatorIsAvailable,
    startAuthentication,
    startRegistration,
  } = globalThis.SimpleWebAuthnBrowser
  if (!browserSupportsWebAuthn()) return

  /** A challenge lives for five minutes. */
  const FRESH_MS = 4 * 60_000

  for (const form of document.querySelectorAll('form[data-passkey]')) prepare(form)

  // Lets the service offer a passkey after a sign-in with a password.
  const offer = document.getElementById('passkey-capable')
  if (offer !== null) {
    platformAuthenticatorIsAvailable().then((isAvailable) => {
      offer.value = isAvailable ? 'yes' : ''
    })
  }

  function prepare(form) {
    const { passkey, options, refresh, autofill, failed, known } = form.dataset
    const message = form.querySelector('[role=status]')
    let current = JSON.parse(options)
    let issuedAt = Date.now()

    async function freshOptions() {
      if (Date.now() - issuedAt < FRESH_MS) return current
      const answer = await fetch(refresh, { cache: 'no-store' })
      if (!answer.ok) {
        location.reload()
        throw new Error('the page has expired')
      }
      const { challenge } = await answer.json()
      current = { ...current, challenge }
      issuedAt = Date.now()
      return current
    }

    async function run(useBrowserAutofill) {
      const optionsJSON = await freshOptions()
      const response =
        passkey === 'create'
          ? await startRegistration({ optionsJSON })
          : await startAuthentication({ optionsJSON, useBrowserAutofill })
      form.elements.response.value = JSON.stringify(response)
      for (const field of form.querySelectorAll('[data-copies]')) {
        const choice = document.getElementById(field.dataset.copies)
        field.value = choice?.checked ? choice.value : ''
      }
      form.submit()
    }

    async function listen() {
      if (autofill === undefined || !(await browserSupportsWebAuthnAutofill())) return
      // The next ceremony aborts this one.
      void run(true).catch(() => undefined)
    }

    form.hidden = false
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      message.textContent = ''
      try {
        await run(false)
      } catch (error) {
        message.textContent = error.name === 'InvalidStateError' ? known : failed
        void listen()
      }
    })
    void listen()
    if (autofill !== undefined) setInterval(listen, FRESH_MS)
  }
})()
