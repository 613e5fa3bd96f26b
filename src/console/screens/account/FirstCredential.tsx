import { useState } from 'react';
import { useQuery } from 'urql';
import { SignInOptionsQuery } from '../../data/operations.ts';
import { hasPasskeys } from '../../data/passkeys.ts';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { useTexts } from '../../texts/language.tsx';
import { AddPasskey } from './Passkeys.tsx';
import { PasswordDialog, RecoveryCodes, TotpDialog } from './PasswordPart.tsx';
import { texts } from './texts.ts';

/** The two credentials to choose from, for an operator who has none. `onDone` is called once one is complete. */
export function FirstCredential({ onDone }: { onDone: () => void }) {
  const t = useTexts(texts);
  const { refresh } = useSession();
  const [{ data }] = useQuery({ query: SignInOptionsQuery });
  const [open, setOpen] = useState<'passkey' | 'password' | 'totp'>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => setOpen(undefined);
  const finish = () => {
    refresh();
    onDone();
  };
  const canUsePasskeys = hasPasskeys() && data?.signInOptions?.passkeys !== false;
  return (
    <>
      <Button
        look={canUsePasskeys ? 'main' : 'plain'}
        icon="keys"
        refused={canUsePasskeys ? undefined : t.noPasskeys}
        onClick={() => setOpen('passkey')}
      >
        {t.addPasskey}
      </Button>
      <Button look={canUsePasskeys ? 'plain' : 'main'} onClick={() => setOpen('password')}>
        {t.setPassword}
      </Button>
      <p className="soft">{t.firstPasswordText}</p>
      {open === 'passkey' && <AddPasskey onClose={close} onDone={finish} />}
      {open === 'password' && <PasswordDialog onClose={close} onDone={() => setOpen('totp')} />}
      {open === 'totp' && (
        <TotpDialog
          onClose={close}
          onDone={(made) => {
            close();
            setCodes(made);
          }}
        />
      )}
      {codes && <RecoveryCodes codes={codes} onClose={finish} />}
    </>
  );
}
