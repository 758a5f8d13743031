import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useAdministrator } from '../session/administrator.ts'
import { signOut } from '../session/session.ts'
import { chooseLanguage, LANGUAGES, type Language, language, text } from '../texts/texts.ts'
import { PLACES } from './places.ts'

const Palette = lazy(() => import('./palette.tsx'))

/** What all pages have in common: the bar, the navigation and the search of Ctrl K. */
export function Shell() {
  const [isSearching, setSearching] = useState(false)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setSearching(true)
    }
    window.addEventListener('keydown', open)
    return () => window.removeEventListener('keydown', open)
  }, [])
  const { name } = useAdministrator()
  const places = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  useEffect(() => scrollToCurrent(places.current), [pathname])
  return (
    <div className="shell">
      <header className="bar">
        <Link to="/" className="brand">
          Signet
        </Link>
        <button type="button" onClick={() => setSearching(true)} aria-keyshortcuts="Control+K">
          {text('search.open')}
        </button>
        <span className="grow" />
        <LanguageChoice />
        <span>{name}</span>
        <button type="button" onClick={() => void signOut()}>
          {text('session.sign_out')}
        </button>
      </header>
      <nav ref={places} className="side" aria-label={text('navigation')}>
        {PLACES.map(({ path, title }) => (
          <Link
            key={path}
            to={path}
            activeProps={{ 'aria-current': 'page' }}
            activeOptions={{ exact: path === '/', includeSearch: false }}
          >
            {text(title)}
          </Link>
        ))}
      </nav>
      <main>
        <Outlet />
      </main>
      {isSearching && (
        <Suspense>
          <Palette onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** Shows the current place where a narrow screen has the places in one line that scrolls. */
function scrollToCurrent(places: HTMLElement | null): void {
  if (places === null || places.scrollWidth <= places.clientWidth) return
  places.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
}

function LanguageChoice() {
  return (
    <select
      aria-label={text('language')}
      className="short"
      value={language}
      onChange={(event) => chooseLanguage(event.target.value as Language)}
    >
      {LANGUAGES.map((tag) => (
        <option key={tag} value={tag} lang={tag}>
          {new Intl.DisplayNames([tag], { type: 'language' }).of(tag)}
        </option>
      ))}
    </select>
  )
}
