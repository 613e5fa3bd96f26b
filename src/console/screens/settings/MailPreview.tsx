import { useEffect, useState } from 'react';
import { useScreenQuery } from '../../data/query.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { MailFrame } from '../../design/MailFrame.tsx';
import { Section } from '../../design/Page.tsx';
import { Tabs, useTab } from '../../design/Tabs.tsx';
import { useTexts } from '../../texts/language.tsx';
import { mailTexts } from './texts.ts';
import { PreviewDraft, type MailKind, type MailLanguage } from './templateQuery.ts';

interface Draft {
  subject: string;
  body: string | null;
}

const quietMs = 350;

/** The mail that a text makes, while it is written. */
export function MailPreview(props: { kind: MailKind; language: MailLanguage; draft: Draft }) {
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
