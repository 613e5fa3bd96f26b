import { useState } from 'react';
import { useAction } from '../../data/action.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ConfigureAccount, TestAccount, type AccountInput } from './accountQuery.ts';
import { CopyText, FailureNote } from './notes.tsx';
import { accountKinds, nameProvider, type AccountName, type FieldName } from './accounts.ts';
import { providerTexts } from './texts.ts';
import type { Settings } from './query.ts';

type Fields = Record<FieldName, string>;

interface AccountDialogProps {
  name: AccountName;
  settings: Settings;
  onClose: () => void;
  onDone: () => void;
}

/** Asks for the keys of an account, which the server keeps and never returns; then tries them. */
export function AccountDialog({ name, settings, onClose, onDone }: AccountDialogProps) {
  const t = useTexts(providerTexts);
  const toast = useToast();
  const configure = useAction(ConfigureAccount);
  const test = useAction(TestAccount);
  const [failure, setFailure] = useState<string>();
  const problem = configure.problem ?? test.problem;
  const account = settings.accounts.find(({ provider }) => provider === name);
  const known = (wanted: string) => account?.settings.find((each) => each.name === wanted)?.value ?? '';
  const initial = accountKinds[name].fields.map(({ name: field, isSecret }) => [
    field,
    isSecret ? '' : known(field),
  ]);
  const { values, bind } = useForm(Object.fromEntries(initial) as Fields, problem);
  const submit = async () => {
    setFailure(undefined);
    if (!(await configure.run({ input: toInput(name, values) }))) return;
    onDone();
    const tested = (await test.run({ provider: name }))?.testAccount;
    onDone();
    if (tested?.failedAt) setFailure(tested.failure ?? t.failed);
    else if (tested) {
      toast(t.accepted);
      onClose();
    }
  };
  const callback = `${location.origin}/callbacks/${name}/${settings.alias}`;
  return (
    <FormDialog
      title={t.keysOf(nameProvider(name, t))}
      label={t.saveAndTest}
      busy={configure.busy || test.busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {failure && <FailureNote failure={failure}>{t.savedButFails}</FailureNote>}
      <p className="soft">{t.sealed}</p>
      {accountKinds[name].needsEndpoint && <Callback url={account?.callbackUrl ?? callback} />}
      {accountKinds[name].fields.map(({ name: field, isSecret, isOptional, example }, index) => (
        <Field
          key={field}
          label={t[field]}
          hint={hintOf(t, field)}
          dir="ltr"
          required={!isOptional}
          type={isSecret ? 'password' : 'text'}
          autoComplete={isSecret ? 'new-password' : 'off'}
          spellCheck={false}
          placeholder={example}
          autoFocus={index === 0}
          {...bind(field)}
        />
      ))}
    </FormDialog>
  );
}

function Callback({ url }: { url: string }) {
  const t = useTexts(providerTexts);
  return (
    <div>
      <p className="field-label">{t.callback}</p>
      <CopyText text={url} />
      <small className="soft">{t.callbackHint}</small>
    </div>
  );
}

const hintOf = (t: { urlHint: string; testKeyHint: string }, field: FieldName): string | undefined =>
  field === 'url' ? t.urlHint : field === 'secretKey' || field === 'apiKey' ? t.testKeyHint : undefined;

function toInput(name: AccountName, values: Fields): AccountInput {
  const fields = accountKinds[name].fields.map(({ name: field, isOptional }) => {
    const value = values[field];
    return [field, isOptional ? orNull(value) : value] as const;
  });
  return { [name]: Object.fromEntries(fields) };
}
