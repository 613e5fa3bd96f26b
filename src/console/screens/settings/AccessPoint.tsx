import { useState } from 'react';
import { eInvoiceFormats, formatNames, type EInvoiceFormat } from '../../billing/eInvoiceFormats.ts';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Checkbox, Field } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ConfigureAccount, TestAccount } from './accountQuery.ts';
import { FailureNote } from './notes.tsx';
import { AccountSection, type Account } from './Providers.tsx';
import type { Settings } from './query.ts';
import { ReportsSecret } from './ReportsSecret.tsx';
import { providerTexts } from './texts.ts';

interface PartProps {
  settings: Settings;
  onSaved: () => void;
}

/** The access point, to which e-invoices are sent: its state, and what can be done with it. */
export function AccessPoint({ settings, onSaved }: PartProps) {
  const t = useTexts(providerTexts);
  const account = settings.accounts.find(({ provider }) => provider === 'access_point');
  const describe = (name: string, value: string): [string, string] | undefined => {
    if (name === 'url') return [t.accessPointUrl, value];
    if (name === 'callbackUrl') return [t.reportsUrl, value];
    if (name !== 'formats') return undefined;
    const formats = eInvoiceFormats.filter((format) => value.split(' ').includes(format));
    return [t.formats, formats.map((format) => formatNames[format]).join(', ')];
  };
  return (
    <AccountSection
      name="access_point"
      title={t.accessPoint}
      change={t.changeAccessPoint}
      none={t.noAccessPoint}
      removal={t.removeAccessPoint}
      describe={describe}
      renderMore={(found) => <ReportsSecret account={found} onDone={onSaved} />}
      settings={settings}
      onSaved={onSaved}
      renderDialog={(props) => <AccessPointDialog account={account} {...props} />}
    />
  );
}

interface AccessPointDialogProps {
  account: Account | undefined;
  onClose: () => void;
  onDone: () => void;
}

/** The values of an access point, which are saved and then tried. */
function useAccessPoint({ account, onClose, onDone }: AccessPointDialogProps) {
  const t = useTexts(providerTexts);
  const toast = useToast();
  const configure = useAction(ConfigureAccount);
  const test = useAction(TestAccount);
  const [failure, setFailure] = useState<string>();
  const find = (wanted: string) => account?.settings.find(({ name }) => name === wanted)?.value ?? '';
  const taken = find('formats').split(' ');
  const [formats, setFormats] = useState(eInvoiceFormats.filter((format) => taken.includes(format)));
  const problem = configure.problem ?? test.problem;
  const { values, bind } = useForm({ url: find('url'), secret: '', header: find('header') }, problem);
  const submit = async () => {
    setFailure(undefined);
    const { url, secret, header } = values;
    const accessPoint = { url, secret, header: orNull(header), formats };
    if (!(await configure.run({ input: { accessPoint } }))) return;
    onDone();
    const tested = (await test.run({ provider: 'access_point' }))?.testAccount;
    onDone();
    if (tested?.failedAt) setFailure(tested.failure ?? t.failed);
    else if (tested) {
      toast(t.accepted);
      onClose();
    }
  };
  const busy = configure.busy || test.busy;
  return { bind, problem, failure, formats, setFormats, busy, submit };
}

function AccessPointDialog(props: AccessPointDialogProps) {
  const { onClose } = props;
  const t = useTexts(providerTexts);
  const { bind, problem, failure, formats, setFormats, busy, submit } = useAccessPoint(props);
  return (
    <Dialog
      title={t.accessPoint}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button
            type="submit"
            look="main"
            busy={busy}
            refused={formats.length === 0 ? t.formatNeeded : undefined}
          >
            {t.saveAndTest}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {failure && <FailureNote failure={failure}>{t.savedButFails}</FailureNote>}
      <p className="soft">{t.sealed}</p>
      <Field
        label={t.accessPointUrl}
        dir="ltr"
        required
        autoFocus
        placeholder="https://ap.example/documents"
        spellCheck={false}
        autoComplete="off"
        {...bind('url')}
      />
      <Field
        label={t.accessPointSecret}
        dir="ltr"
        required
        type="password"
        autoComplete="new-password"
        {...bind('secret')}
      />
      <Field
        label={t.header}
        hint={t.headerHint}
        dir="ltr"
        placeholder="X-Api-Key"
        spellCheck={false}
        autoComplete="off"
        {...bind('header')}
      />
      <Formats chosen={formats} onChange={setFormats} />
    </Dialog>
  );
}

interface FormatsProps {
  chosen: EInvoiceFormat[];
  onChange: (chosen: EInvoiceFormat[]) => void;
}

/** The formats that the access point takes. */
function Formats({ chosen, onChange }: FormatsProps) {
  const t = useTexts(providerTexts);
  const toggle = (format: EInvoiceFormat) =>
    onChange(eInvoiceFormats.filter((each) => chosen.includes(each) !== (each === format)));
  return (
    <fieldset className="checkboxes">
      <legend className="field-label">{t.formats}</legend>
      <small className="soft">{t.formatsHint}</small>
      {eInvoiceFormats.map((format) => (
        <Checkbox
          key={format}
          label={formatNames[format]}
          checked={chosen.includes(format)}
          onChange={() => toggle(format)}
        />
      ))}
    </fieldset>
  );
}
