import { Facts, Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { Settings } from './query.ts';
import { texts } from './texts.ts';

/** The tenant's own accounts at payment providers and mail servers. */
export function Providers({ settings: { accounts } }: { settings: Settings }) {
  const t = useTexts(texts);
  if (accounts.length === 0) {
    return (
      <Section title={t.providers}>
        <p className="soft">{t.noProviders}</p>
      </Section>
    );
  }
  return accounts.map(({ provider, configuredAt, failedAt, failure, callbackUrl, settings }) => (
    <Section
      key={provider}
      title={provider}
      actions={<Status tone={failedAt ? 'bad' : 'good'}>{failedAt ? t.failing : t.working}</Status>}
    >
      <Facts
        facts={[
          [t.configured, <When at={configuredAt} as="time" />],
          [t.failure, failure ?? undefined],
          [t.callback, callbackUrl ? <code dir="ltr">{callbackUrl}</code> : undefined],
          ...settings.map(({ name, value }): [string, React.ReactNode] => [
            name,
            <code key={name} dir="ltr">
              {value}
            </code>,
          ]),
        ]}
      />
    </Section>
  ));
}
