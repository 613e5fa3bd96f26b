import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { useUrlValue } from '../../data/url.ts';
import { Button } from '../../design/Button.tsx';
import { Loaded, ProblemNote } from '../../design/Feedback.tsx';
import { Field, Select, TextArea } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { mailKinds } from '../../texts/mails.ts';
import { MailPreview } from './MailPreview.tsx';
import { mailTexts as kindTexts } from '../../texts/texts.ts';
import { SendTest } from './SendTest.tsx';
import {
  DeleteMailTemplate,
  TemplatesQuery,
  UpdateMailTemplate,
  type MailKind,
  type MailLanguage,
  type TemplatesData,
} from './templateQuery.ts';
import { mailTexts } from './texts.ts';

const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  fa: 'فارسی',
  ps: 'پښتو',
} as const satisfies Record<MailLanguage, string>;

const isOneOf = <Name extends string>(names: readonly Name[], text: string): text is Name =>
  (names as readonly string[]).includes(text);

/** The texts of the mails: a kind and a language at a time, with the mail that they make beside them. */
export function MailTexts() {
  const t = useTexts(mailTexts);
  const kindNames = useTexts(kindTexts);
  const [kindText, setKind] = useUrlValue('kind');
  const [languageText, setLanguage] = useUrlValue('language');
  const kind: MailKind = isOneOf(mailKinds, kindText) ? kindText : 'receipt';
  const language = isOneOf(Object.keys(languages) as MailLanguage[], languageText) ? languageText : 'en';
  const result = useScreenQuery(TemplatesQuery, { kind, language }, { types: ['MailTemplateEvent'] });
  const own = result.data?.mailTemplates?.nodes ?? [];
  const mark = (name: string, isOwn: boolean) => (isOwn ? `${name} · ${t.own}` : name);
  return (
    <Section title={t.title}>
      <div className="settings-choices">
        <Select
          label={t.kind}
          value={kind}
          choices={mailKinds.map((value) => ({
            value,
            label: mark(
              kindNames[value],
              own.some((each) => each.kind === value),
            ),
          }))}
          onChange={({ target }) => setKind(target.value)}
        />
        <Select
          label={t.language}
          value={language}
          choices={Object.entries(languages).map(([value, name]) => ({
            value,
            label: mark(
              name,
              own.some((each) => each.kind === kind && each.language === value),
            ),
          }))}
          onChange={({ target }) => setLanguage(target.value)}
        />
      </div>
      <Loaded result={result}>
        {(data) => (
          <Editor
            key={`${kind} ${language} ${JSON.stringify(data.previewMail?.wording)}`}
            kind={kind}
            language={language}
            data={data}
            onDone={result.refetch}
          />
        )}
      </Loaded>
    </Section>
  );
}

interface EditorProps {
  kind: MailKind;
  language: MailLanguage;
  data: TemplatesData;
  onDone: () => void;
}

function Editor({ kind, language, data, onDone }: EditorProps) {
  const t = useTexts(mailTexts);
  const toast = useToast();
  const refusal = useRefusal('manage_settings');
  const update = useAction(UpdateMailTemplate);
  const reset = useAction(DeleteMailTemplate);
  const [isTesting, setTesting] = useState(false);
  const wording = data.previewMail?.wording ?? { subject: '', body: '' };
  const own = data.mailTemplates?.nodes.find((each) => each.kind === kind && each.language === language);
  const { values, change, bind } = useForm(wording, update.problem);
  const { subject } = values;
  const body = orNull(values.body);
  const isChanged = subject !== wording.subject || values.body !== wording.body;
  const save = async () => {
    if (refusal !== undefined || !(await update.run({ input: { kind, language, subject, body } }))) return;
    toast(t.saved);
    onDone();
  };
  const remove = async (id: string) => {
    if (!(await reset.run({ id }))) return;
    toast(t.resetToast);
    onDone();
  };
  const problem = update.problem ?? reset.problem;
  return (
    <>
      <form
        className="settings-form stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {problem && <ProblemNote problem={problem} />}
        <div>
          <Status tone={own ? 'good' : 'neutral'}>{own ? t.ownText : t.standardText}</Status>
        </div>
        <Field label={t.subject} dir="auto" {...bind('subject')} />
        <TextArea label={t.body} hint={t.bodyHint} rows={8} dir="auto" {...bind('body')} />
        <Placeholders
          names={data.mailPlaceholders}
          onChoose={(name) => change({ body: values.body + name })}
        />
        <div className="row">
          <Button type="submit" look="main" busy={update.busy} refused={refusal}>
            {t.save}
          </Button>
          {own && (
            <Button busy={reset.busy} refused={refusal} onClick={() => void remove(own.id)}>
              {t.reset}
            </Button>
          )}
          <Button icon="mail" refused={refusal} onClick={() => setTesting(true)}>
            {t.sendTest}
          </Button>
        </div>
      </form>
      <MailPreview kind={kind} language={language} draft={{ subject, body }} />
      {isTesting && (
        <SendTest kind={kind} language={language} isUnsaved={isChanged} onClose={() => setTesting(false)} />
      )}
    </>
  );
}

function Placeholders({ names, onChoose }: { names: string[]; onChoose: (name: string) => void }) {
  const t = useTexts(mailTexts);
  return (
    <fieldset className="placeholders">
      <legend className="field-label">{t.placeholders}</legend>
      <div className="row">
        {names.map((name) => (
          <Button key={name} onClick={() => onChoose(name)} title={t.insert(name)}>
            <code dir="ltr">{name}</code>
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
