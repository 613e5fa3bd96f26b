import { useState } from 'react';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { Loaded } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { Page, Section } from '../../design/Page.tsx';
import { PageForm } from '../../design/PageForm.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal } from '../../texts/problems.ts';
import { AccountQuery, UpdateOperator, type Account } from './query.ts';
import { Passkeys } from './Passkeys.tsx';
import { PasswordPart } from './PasswordPart.tsx';
import { Sessions } from './Sessions.tsx';
import { texts } from './texts.ts';

/** The operator's own account: the name, the ways to sign in, the sessions. */
export function Screen() {
  const t = useTexts(texts);
  const result = useScreenQuery(AccountQuery, {});
  return (
    <Page title={t.title} subtitle={result.data?.operator?.email} request={{ document: AccountQuery }}>
      <Loaded result={result}>
        {({ operator }) =>
          operator && (
            <>
              <Name account={operator} />
              <Passkeys account={operator} refetch={result.refetch} />
              <PasswordPart account={operator} refetch={result.refetch} />
              <Sessions account={operator} refetch={result.refetch} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Name({ account }: { account: Account }) {
  const t = useTexts(texts);
  const toast = useToast();
  const { refresh } = useSession();
  const { run, busy, problem } = useAction(UpdateOperator);
  const [name, setName] = useState(account.name ?? '');
  const save = async () => {
    if (!(await run({ name }))) return;
    toast(t.saved);
    refresh();
  };
  return (
    <Section title={t.you}>
      <PageForm className="account-form" problem={problem} onSubmit={() => save()}>
        <Field
          label={t.name}
          autoComplete="name"
          value={name}
          {...findRefusal(problem, 'name')}
          onChange={({ target }) => setName(target.value)}
        />
        <Button type="submit" busy={busy}>
          {t.save}
        </Button>
      </PageForm>
    </Section>
  );
}
