import { useState, useEffect } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { useLeave } from '../../data/unsaved.ts';
import { useUrlValue } from '../../data/url.ts';
import { Button } from '../../design/Button.tsx';
import { Loaded, ProblemNote, Note } from '../../design/Feedback.tsx';
import { Field, Select, TextArea } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { PageForm } from '../../design/PageForm.tsx';
import { Status } from '../../design/Status.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { mailKinds } from '../../texts/mails.ts';
import { mailTexts as kindTexts } from '../../texts/texts.ts';
import {
  DeleteMailTemplate,
  TemplatesQuery,
  UpdateMailTemplate,
  type MailKind,
  type MailLanguage,
  type TemplatesData,
  PreviewDraft,
  SendTestMail,
} from './templateQuery.ts';
import { mailTexts } from './texts.ts';
import { MailFrame } from '../../design/MailFrame.tsx';
import { Tabs, useTab } from '../../design/Tabs.tsx';
import { Link } from 'wouter';
import { useSession } from '../../data/session.tsx';
import { Dialog } from '../../design/Dialog.tsx';

const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  fa: 'فارسی',
  ps: 'پښتو',
  ar: 'العربية',
  he: 'עברית',
} as const satisfies Record<MailLanguage, string>;

const isOneOf = <Name extends string>(names: readonly Name[], text: string): text is Name =>
  (names as readonly string[]).includes(text);

/** The texts of the mails: a kind and a language at a time, with the mail that they make beside them. */
export function MailTexts() {
  const t = useTexts(mailTexts);
  const kindNames = useTexts(kindTexts);
  const leave = useLeave();
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
          onChange={({ target }) => leave(() => setKind(target.value))}
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
          onChange={({ target }) => leave(() => setLanguage(target.value))}
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
    if (!(await update.run({ input: { kind, language, subject, body } }))) return;
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
      <PageForm
        className="settings-form stack"
        problem={problem}
        onSubmit={() => refusal === undefined && save()}
      >
        <div>
          <Status tone={own ? 'good' : 'neutral'}>{own ? t.ownText : t.standardText}</Status>
        </div>
        <Field label={t.subject} required dir="auto" {...bind('subject')} />
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
      </PageForm>
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
          <Button key={name} edits onClick={() => onChoose(name)} title={t.insert(name)}>
            <code dir="ltr">{name}</code>
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

interface Draft {
  subject: string;
  body: string | null;
}

const quietMs = 350;

/** The mail that a text makes, while it is written. */
function MailPreview(props: { kind: MailKind; language: MailLanguage; draft: Draft }) {
  const { kind, language, draft } = props;
  const t = useTexts(mailTexts);
  const { subject, body } = useQuiet(draft);
  const result = useScreenQuery(PreviewDraft, { kind, language, draft: { subject, body } });
  const tabs = [
    { id: 'html', label: t.asHtml },
    { id: 'text', label: t.asText },
  ];
  const tab = useTab(tabs, 'part');
  const [last, setLast] = useState(result.data?.previewMail);
  useEffect(() => {
    if (result.data?.previewMail) setLast(result.data.previewMail);
  }, [result.data]);
  return (
    <Section title={t.preview} actions={<Tabs tabs={tabs} name="part" label={t.preview} />}>
      {result.problem && <ProblemNote problem={result.problem} />}
      {last && (
        <div className="mail-preview">
          <strong dir="auto">{last.subject}</strong>
          {tab === 'text' ? (
            <pre dir="auto" tabIndex={0} role="region" aria-label={t.asText}>
              {last.text}
            </pre>
          ) : (
            <MailFrame html={last.html} title={t.preview} />
          )}
        </div>
      )}
    </Section>
  );
}

/** Returns a value once it has not changed for a moment. */
function useQuiet<Value extends object>(value: Value): Value {
  const [quiet, setQuiet] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(JSON.parse(key) as Value), quietMs);
    return () => clearTimeout(timer);
  }, [key]);
  return quiet;
}

interface SendTestProps {
  kind: MailKind;
  language: MailLanguage;
  /** Whether the text was changed and not saved: the mail has the saved one. */
  isUnsaved: boolean;
  onClose: () => void;
}

/** Sends a mail with invented data to an address. */
function SendTest({ kind, language, isUnsaved, onClose }: SendTestProps) {
  const t = useTexts(mailTexts);
  const { operator } = useSession();
  const { run, busy, problem } = useAction(SendTestMail);
  const { values, bind } = useForm({ to: operator.email }, problem);
  const [sent, setSent] = useState<string>();
  const submit = async () => {
    const mail = (await run({ input: { to: values.to, kind, language } }))?.sendTestMail;
    if (mail) setSent(mail.id);
  };
  return (
    <Dialog
      title={t.sendTest}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{sent ? t.done : t.cancel}</Button>
          <Button type="submit" look="main" busy={busy}>
            {t.sendTest}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {isUnsaved && <Note tone="late">{t.unsaved}</Note>}
      <Field label={t.to} type="email" required autoFocus {...bind('to')} />
      {sent && (
        <Note tone="good">
          {t.queued} <Link href={`/mails/${sent}`}>{t.seeMail}</Link>
        </Note>
      )}
    </Dialog>
  );
}
