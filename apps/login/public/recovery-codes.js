// Copies and prints the recovery codes of a page. Without this script the buttons stay hidden.
{
  const copy = document.getElementById('recovery-codes-copy')
  const print = document.getElementById('recovery-codes-print')
  const copied = document.getElementById('recovery-codes-copied')
  const codes = [...document.querySelectorAll('#recovery-codes code')].map(({ textContent }) => textContent)

  if (navigator.clipboard !== undefined) {
    copy.hidden = false
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(codes.join('\n'))
      copied.hidden = false
    })
  }
  print.hidden = false
  print.addEventListener('click', () => globalThis.print())
}
