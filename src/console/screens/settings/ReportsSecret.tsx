import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { readMachineClock } from '../../data/clock.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { SecretDialog } from '../webhooks/SecretDialog.tsx';
import { CreateCallbackSecret } from './accountQuery.ts';
import type { Account } from './Providers.tsx';
import { providerTexts } from './texts.ts';

interface ReportsSecretProps {
  account: Account;
  onDone: () => void;
}

/** What the access point signs its reports with: whether there is a secret, and the button that creates one. */
export function ReportsSecret({ account, onDone }: ReportsSecretProps) {
  const t = useTexts(providerTexts);
  const refusal = useRefusal('manage_accounts');
  const [isOpen, setOpen] = useState(false);
  const isSet = account.settings.some(({ name }) => name === 'callbackSecret');
  const { previousCallbackSecretUntil: until } = account;
  return (
    <div className="stack">
      <p className="soft">{isSet ? t.reportsAreSigned : t.reportsNeedSecret}</p>
      {until && Date.parse(until) > readMachineClock() && (
        <p className="soft">
          {t.oldReportsSecret} <When at={until} as="time" />
        </p>
      )}
      <div className="row">
        <Button refused={refusal} onClick={() => setOpen(true)}>
          {isSet ? t.replaceReportsSecret : t.newReportsSecret}
        </Button>
      </div>
      {isOpen && <CreateSecret isSet={isSet} onClose={() => setOpen(false)} onDone={onDone} />}
    </div>
  );
}

interface CreateSecretProps {
  isSet: boolean;
  onClose: () => void;
  onDone: () => void;
}

function CreateSecret({ isSet, onClose, onDone }: CreateSecretProps) {
  const t = useTexts(providerTexts);
  const action = useAction(CreateCallbackSecret);
  const [secret, setSecret] = useState<string>();
  const create = async () => setSecret((await action.run({}))?.createCallbackSecret?.secret);
  const close = () => {
    onClose();
    onDone();
  };
  if (secret) return <SecretDialog secret={secret} onClose={close} />;
  const label = isSet ? t.replaceReportsSecret : t.newReportsSecret;
  return (
    <ConfirmAction
      title={label}
      label={label}
      action={action}
      onConfirm={() => void create()}
      onClose={onClose}
    >
      <p>{isSet ? t.replaceReportsSecretText : t.newReportsSecretText}</p>
    </ConfirmAction>
  );
}
