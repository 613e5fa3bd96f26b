import { useState, type ReactNode } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Button } from '../../design/Button.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Facts, Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { AccountDialog } from './AccountDialog.tsx';
import { chargingNames, nameProvider, type AccountName } from './accounts.ts';
import { RemoveAccount, TestAccount } from './accountQuery.ts';
import { CopyText, FailureNote } from './notes.tsx';
import { BankAccount, PaymentMethods } from './payments.tsx';
import { providerTexts } from './texts.ts';
import type { Settings } from './query.ts';

interface PartProps {
  settings: Settings;
  onSaved: () => void;
}

/** How payers pay: the tenant's own accounts, what they may choose, and the bank account for transfers. */
export function Providers(props: PartProps) {
  return (
    <>
      {chargingNames.map((name) => (
        <AccountPart key={name} name={name} {...props} />
      ))}
      <PaymentMethods {...props} />
      <BankAccount {...props} />
    </>
  );
}

export type Account = Settings['accounts'][number];

/** The tenant's own account at a provider or mail server: its state, and what can be done with it. */
export function AccountPart({ name, settings, onSaved }: PartProps & { name: AccountName }) {
  const t = useTexts(providerTexts);
  const isServers =
    name === 'smtp' ? settings.mail.enabled : settings.paymentProviders.some((each) => each === name);
  return (
    <AccountSection
      name={name}
      title={nameProvider(name, t)}
      change={t.replace}
      none={isServers ? t.ofServer : name === 'smtp' ? t.noMail : t.none}
      settings={settings}
      onSaved={onSaved}
      renderDialog={(props) => <AccountDialog name={name} settings={settings} {...props} />}
    />
  );
}

interface AccountSectionProps extends PartProps {
  name: RemoveProps['name'];
  title: string;
  /** What the button says that changes the account. */
  change: string;
  /** What is said without an account. */
  none: string;
  /** What is said before the account is removed, if it differs from that of others. */
  removal?: string;
  /** Names a setting in another way than the fields of other accounts. */
  describe?: (name: string, value: string) => [label: string, value: string] | undefined;
  /** What follows the settings. */
  renderMore?: (account: Account) => ReactNode;
  /** Renders the form of the account. */
  renderDialog: (props: { onClose: () => void; onDone: () => void }) => ReactNode;
}

/** An account with its state, and the buttons to try, change and remove it. */
export function AccountSection(props: AccountSectionProps) {
  const { name, title, change, none, removal, settings, onSaved, renderDialog, describe, renderMore } = props;
  const t = useTexts(providerTexts);
  const refusal = useRefusal('manage_accounts');
  const [open, setOpen] = useState<'keys' | 'remove'>();
  const test = useAction(TestAccount);
  const toast = useToast();
  const account = settings.accounts.find(({ provider }) => provider === name);
  const tryOut = async () => {
    const result = (await test.run({ provider: name }))?.testAccount;
    if (!result) return;
    if (!result.failedAt) toast(t.accepted);
    onSaved();
  };
  const close = () => setOpen(undefined);
  return (
    <Section
      title={title}
      actions={
        <div className="row">
          {account && (
            <>
              <Button refused={refusal} busy={test.busy} onClick={() => void tryOut()}>
                {t.test}
              </Button>
              <Button look="quiet" refused={refusal} onClick={() => setOpen('remove')}>
                {t.remove}
              </Button>
            </>
          )}
          <Button icon={account ? 'keys' : 'plus'} refused={refusal} onClick={() => setOpen('keys')}>
            {account ? change : t.setUp}
          </Button>
        </div>
      }
    >
      {test.problem && <ProblemNote problem={test.problem} />}
      {account ? (
        <>
          <AccountState account={account} describe={describe} />
          {renderMore?.(account)}
        </>
      ) : (
        <p className="soft">{none}</p>
      )}
      {open === 'keys' && renderDialog({ onClose: close, onDone: onSaved })}
      {open === 'remove' && <Remove name={name} text={removal} onClose={close} onDone={onSaved} />}
    </Section>
  );
}

/** The state of an account, its settings, and its last failure. */
function AccountState({ account, describe }: { account: Account } & Pick<AccountSectionProps, 'describe'>) {
  const t = useTexts(providerTexts);
  const { failedAt, failure, configuredAt, callbackUrl, settings } = account;
  const callbackLabel = callbackUrl && (describe?.('callbackUrl', callbackUrl)?.[0] ?? t.callback);
  return (
    <div className="stack">
      {failedAt && (
        <FailureNote failure={failure ?? t.failed}>
          {t.failing} <When at={failedAt} as="time" />
        </FailureNote>
      )}
      <Facts
        facts={[
          [t.state, <Status tone={failedAt ? 'bad' : 'good'}>{failedAt ? t.failed : t.works}</Status>],
          [t.configured, <When at={configuredAt} as="time" />],
          ...settings.map(({ name, value }): [string, React.ReactNode] => {
            const [label, shown] = describe?.(name, value) ?? [t[name as 'secretKey'] ?? name, value];
            return [
              label,
              <code key={name} dir="ltr">
                {shown}
              </code>,
            ];
          }),
          [callbackLabel ?? t.callback, callbackUrl ? <CopyText text={callbackUrl} /> : undefined],
        ]}
      />
    </div>
  );
}

interface RemoveProps {
  name: AccountName | 'access_point';
  /** What removing it means, if it is no account at a payment provider or mail server. */
  text?: string;
  onClose: () => void;
  onDone: () => void;
}

/** Asks before an account is removed. */
function Remove({ name, text, onClose, onDone }: RemoveProps) {
  const t = useTexts(providerTexts);
  const toast = useToast();
  const action = useAction(RemoveAccount);
  const remove = async () => {
    if (!(await action.run({ provider: name }))) return;
    toast(t.removed);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      title={t.removeTitle(name === 'access_point' ? t.accessPoint : nameProvider(name, t))}
      label={t.remove}
      danger
      action={action}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{text ?? t.removeText}</p>
    </ConfirmAction>
  );
}
