import { Redirect, useLocation, useSearchParams } from 'wouter';
import { EntryCard, SignOutButton } from '../../app/EntryCard.tsx';
import { useSession } from '../../data/session.tsx';
import { readNext } from '../../data/url.ts';
import { Button } from '../../design/Button.tsx';
import { useTexts } from '../../texts/language.tsx';
import { FirstCredential } from '../account/FirstCredential.tsx';
import { texts } from './texts.ts';

/** What follows a link: the operator has signed in once, and chooses a credential for later. */
export function Screen() {
  const t = useTexts(texts);
  const [, navigate] = useLocation();
  const [parameters] = useSearchParams();
  const { operator } = useSession();
  const next = readNext(parameters);
  if (!operator.needsCredential) return <Redirect to={next} replace />;
  const goOn = () => navigate(next, { replace: true });
  return (
    <EntryCard title={t.title}>
      <p>{t.text}</p>
      <FirstCredential onDone={goOn} />
      <div className="row">
        <Button look="quiet" onClick={goOn}>
          {t.later}
        </Button>
        <SignOutButton />
      </div>
      <p className="soft sign-in-help">{t.laterText}</p>
    </EntryCard>
  );
}
