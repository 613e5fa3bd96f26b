import { useState } from 'react';
import { useClient } from 'urql';
import { useRefusal } from '../../app/permissions.ts';
import { useRecentProof } from '../../app/StepUp.tsx';
import { getHeaders } from '../../data/client.ts';
import { saveFile } from '../../data/csv.ts';
import { readProblem, type Problem } from '../../data/errors.ts';
import type { VariablesOf } from '../../data/graphql.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { useTenant } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { Loaded, Note, ProblemNote } from '../../design/Feedback.tsx';
import { Checkbox, Select } from '../../design/Field.tsx';
import { Section } from '../../design/Page.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { AccountingForm } from './AccountingForm.tsx';
import { AccountingExportQuery, AccountingQuery, type AccountingPart } from './accountingQuery.ts';
import { useReturnSettings } from './returnPeriods.ts';
import { ReturnPeriod } from './ReturnPeriod.tsx';
import { accountingTexts } from './texts.ts';

const formats = ['datev', 'xero', 'quickbooks', 'quickbooks_credits'] as const;
type Input = VariablesOf<typeof AccountingExportQuery>['input'];

/** Files for accounting programs, and how sales are booked in them. */
export function AccountingFiles() {
  const t = useTexts(accountingTexts);
  const result = useScreenQuery(AccountingQuery, {}, { types: ['TenantEvent'] });
  return (
    <>
      <div className="report-tools">
        <ReturnPeriod />
      </div>
      <Files />
      <Section title={t.booked}>
        <Loaded result={result}>
          {({ tenant }) => tenant && <AccountingForm key={tenant.alias} accounting={tenant.accounting} />}
        </Loaded>
      </Section>
    </>
  );
}

function Files() {
  const t = useTexts(accountingTexts);
  const format = useFormat();
  const refusal = useRefusal('export_data');
  const { period } = useReturnSettings();
  const [chosen, setChosen] = useState<(typeof formats)[number]>('datev');
  const [payments, setPayments] = useState(false);
  const { save, busy, problem, others } = useDownload();
  return (
    <Section title={t.files}>
      <div className="stack settings-form">
        <p className="soft">{t[`about_${chosen}`]}</p>
        <Select
          label={t.format}
          value={chosen}
          choices={formats.map((each) => ({ value: each, label: t[each] }))}
          onChange={({ target }) => setChosen(target.value as (typeof formats)[number])}
        />
        {chosen === 'datev' && (
          <Checkbox
            label={t.payments}
            checked={payments}
            onChange={({ target }) => setPayments(target.checked)}
          />
        )}
        {problem && <ProblemNote problem={problem} />}
        {others.map(({ currency, documents }) => (
          <Note key={currency} tone="late">
            {t.leftOut(format.number(documents), currency.toUpperCase())}
          </Note>
        ))}
        <div>
          <Button
            look="main"
            icon="download"
            busy={busy}
            refused={refusal}
            onClick={() => void save({ format: chosen, ...period, payments: chosen === 'datev' && payments })}
          >
            {t.download}
          </Button>
        </div>
      </div>
    </Section>
  );
}

/** Returns a function that downloads a file part by part and saves it, and what it left out. */
function useDownload() {
  const client = useClient();
  const { alias } = useTenant();
  const prove = useRecentProof();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [others, setOthers] = useState<AccountingPart['otherCurrencies']>([]);
  const load = async (input: Input) => {
    const headers = { ...getHeaders(alias), 'perennial-export': '1' };
    const context = {
      requestPolicy: 'network-only',
      fetchOptions: { credentials: 'same-origin', headers },
    } as const;
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let first: AccountingPart | undefined;
    let after: string | null = null;
    do {
      const { data, error } = await client
        .query(AccountingExportQuery, { input, after }, context)
        .toPromise();
      const part: AccountingPart | null | undefined = data?.accountingExport;
      if (error || !part) return setProblem(error && readProblem(error));
      first ??= part;
      parts.push(Uint8Array.from(atob(part.base64), (character) => character.charCodeAt(0)));
      after = part.nextCursor;
    } while (after !== null);
    setOthers(first.otherCurrencies);
    saveFile(new Blob(parts, { type: first.contentType }), first.fileName);
  };
  const save = async (input: Input) => {
    if (!(await prove())) return;
    setProblem(undefined);
    setBusy(true);
    await load(input);
    setBusy(false);
  };
  return { save, busy, problem, others };
}
