import { Link, Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
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
      <nav className="side" aria-label={text('navigation')}>
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
