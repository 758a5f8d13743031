// Lets people read the password that they type. Without this script the buttons stay hidden.
for (const button of document.querySelectorAll('button[data-shows]')) {
  const input = document.getElementById(button.dataset.shows)
  const show = (isShown) => {
    input.type = isShown ? 'text' : 'password'
    button.setAttribute('aria-pressed', String(isShown))
  }
  button.hidden = false
  button.addEventListener('click', () => show(input.type === 'password'))
  // Browsers keep what a text field held, for suggestions and when a person goes back.
  input.form.addEventListener('submit', () => show(false))
  globalThis.addEventListener('pagehide', () => show(false))
}
