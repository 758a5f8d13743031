import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { answerOf, api } from '../api/client.ts'
import type { operations } from '../api/gen/schema.ts'
import { Act } from '../forms/act.tsx'
import { type TextKey, text } from '../texts/texts.ts'
import { ChoiceFilter, Filters } from '../ui/filters.tsx'
import { Card, Loaded, Page, Problem } from '../ui/page.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { type Draft, Logo, PolicyFields, TextFields, type Texts } from './branding-fields.tsx'

type Body = NonNullable<operations['label_policy.preview']['requestBody']>['content']['application/json']
type Language = NonNullable<Body['language']>

const LANGUAGES = ['en', 'de', 'fr', 'ar', 'ja'] as const satisfies readonly Language[]

/** The colours, the logo and the texts of an organization, with its sign-in page as it would be, before they are saved. */
export function BrandingPage() {
  const { organizationId = '' } = useParams({ strict: false })
  const path = { organizationId }
  const policy = useQuery({
    queryKey: ['branding', organizationId],
    queryFn: () =>
      answerOf(api.GET('/management/v1/organizations/{organizationId}/policies/label', { params: { path } })),
  })
  return (
    <Page
      title={text('branding')}
      actions={
        <Link to="/organizations/$organizationId" params={path}>
          {text('organization')}
        </Link>
      }
    >
      <Loaded query={policy}>
        {(found) => <Editor organizationId={organizationId} stored={found.policy as Draft['policy']} />}
      </Loaded>
    </Page>
  )
}

interface EditorProps {
  readonly organizationId: string
  readonly stored: Draft['policy']
}

function Editor({ organizationId, stored }: EditorProps) {
  const [language, setLanguage] = useState<Language>('en')
  const [policy, setPolicy] = useState(stored)
  const [logo, setLogo] = useState<string>()
  // Those of each language stay while another one is shown.
  const [edited, setEdited] = useState<Readonly<Partial<Record<Language, Texts>>>>({})
  const path = { organizationId, language }
  const storedTexts = useQuery({
    queryKey: ['branding', organizationId, language],
    queryFn: async () =>
      (
        await answerOf(
          api.GET('/management/v1/organizations/{organizationId}/login-texts/{language}', {
            params: { path },
          }),
        )
      ).texts as Texts,
  })
  const texts = edited[language] ?? storedTexts.data
  return (
    <div className="grid">
      <Card title={text('branding.edit')}>
        <PolicyFields policy={policy} onChange={setPolicy} />
        <Logo onChange={setLogo} />
        <Loaded query={storedTexts}>
          {() => (
            <TextFields
              texts={texts ?? {}}
              onChange={(changed) => setEdited((all) => ({ ...all, [language]: changed }))}
            />
          )}
        </Loaded>
        <div className="actions">
          <Act
            label={text('branding.save.colours')}
            className="primary"
            id="label_policy.update"
            path={{ organizationId }}
            stored={stored}
            given={policy}
          />
          {texts !== undefined && (
            <Act label={text('branding.save.texts')} id="login_text.set" path={path} given={texts} />
          )}
          {logo !== undefined && (
            <Act
              label={text('branding.save.logo')}
              id="label_policy_file.set"
              path={{ organizationId, kind: 'logo' }}
              given={{ content: logo }}
              only={[]}
            />
          )}
        </div>
      </Card>
      <Preview {...{ organizationId, language, setLanguage }} draft={{ policy, texts, logo }} />
    </div>
  )
}

const SCHEMES = ['light', 'dark'] as const
const WIDTHS = ['wide', 'narrow'] as const

function Preview({
  organizationId,
  language,
  setLanguage,
  draft,
}: {
  readonly organizationId: string
  readonly language: Language
  readonly setLanguage: (language: Language) => void
  readonly draft: Draft
}) {
  const [scheme, setScheme] = useState<string>('light')
  const [width, setWidth] = useState<string>('wide')
  const [withProblem, setWithProblem] = useState(false)
  // While a colour is dragged, only the last one is asked for.
  const { policy, texts, logo } = useDeferredValue(draft)
  const { primaryColor, warnColor, backgroundColor, fontColor, themeMode, disableWatermark } = policy
  const { primaryColorDark, warnColorDark, backgroundColorDark, fontColorDark } = policy
  const labelPolicy = {
    ...{ primaryColor, warnColor, backgroundColor, fontColor, themeMode, disableWatermark },
    ...{ primaryColorDark, warnColorDark, backgroundColorDark, fontColorDark },
  }
  const body = { language, scheme, withProblem, labelPolicy, loginTexts: texts, logo } as unknown as Body
  const page = useQuery({
    queryKey: ['branding-preview', organizationId, body],
    queryFn: ({ signal }) =>
      answerOf(
        api.POST('/management/v1/organizations/{organizationId}/policies/label/preview', {
          params: { path: { organizationId } },
          body,
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
    throwOnError: false,
  })
  return (
    <Card title={text('branding.preview')}>
      <Filters>
        <ChoiceFilter
          label={text('branding.language')}
          value={language}
          options={LANGUAGES.map((one) => [one, one])}
          onChange={(one) => setLanguage(one as Language)}
        />
        <ChoiceFilter
          label={text('branding.scheme')}
          value={scheme}
          options={SCHEMES.map((one) => [one, text(`branding.scheme.${one}`)])}
          onChange={(one) => setScheme(one ?? 'light')}
        />
        <ChoiceFilter
          label={text('branding.width')}
          value={width}
          options={WIDTHS.map((one) => [one, text(`branding.width.${one}` satisfies TextKey)])}
          onChange={(one) => setWidth(one ?? 'wide')}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={withProblem}
            onChange={(event) => setWithProblem(event.target.checked)}
          />{' '}
          {text('branding.problem')}
        </label>
      </Filters>
      <Problem error={page.error} />
      {page.data !== undefined && (
        <div className="preview">
          <PageFrame title={text('branding.preview')} markup={page.data.html} className={width} />
        </div>
      )}
      <p className="quiet">{text('branding.font')}</p>
    </Card>
  )
}
