import { useRefusal } from '../../app/permissions.ts';
import { Button } from '../../design/Button.tsx';
import { Menu } from '../../design/Menu.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { SubscriptionData } from './query.ts';
import { texts } from './texts.ts';

export type SubscriptionActionName =
  | 'change'
  | 'undoChange'
  | 'cancel'
  | 'uncancel'
  | 'pause'
  | 'resume'
  | 'extendTrial'
  | 'endTrial'
  | 'discount'
  | 'alerts';

interface SubscriptionActionsProps {
  subscription: SubscriptionData;
  onChoose: (name: SubscriptionActionName) => void;
}

/** What can be done with a subscription in its status. */
export function SubscriptionActions({ subscription, onChoose }: SubscriptionActionsProps) {
  const t = useTexts(texts);
  const refused = useRefusal('manage_subscriptions');
  const creditRefused = useRefusal('credit');
  const giving: { [Name in SubscriptionActionName]?: string | undefined } = {
    discount: creditRefused,
    extendTrial: refused ?? creditRefused,
  };
  const { status, cancelAtPeriodEnd, cancelAt, scheduledChange } = subscription;
  if (status === 'cancelled') return null;
  const isRunning = status === 'active' || status === 'trialing';
  const isMetered = subscription.items.some(({ price }) => price?.meterId);
  const isEnding = cancelAtPeriodEnd || cancelAt !== null;
  const all: [boolean, SubscriptionActionName, string][] = [
    [scheduledChange !== null, 'undoChange', t.undoChange],
    [status === 'trialing', 'extendTrial', t.extendTrial],
    [status === 'trialing', 'endTrial', t.endTrial],
    [true, 'discount', t.applyDiscount],
    [isMetered, 'alerts', t.spendAlerts],
    [isRunning || status === 'scheduled', 'pause', t.pause],
    [status === 'paused', 'pause', t.movePause],
    [status === 'paused', 'resume', t.resume],
    [isEnding, 'uncancel', t.uncancel],
    [true, 'cancel', t.cancel],
  ];
  return (
    <>
      {isRunning && (
        <Button look="main" refused={refused} onClick={() => onChoose('change')}>
          {t.change}
        </Button>
      )}
      <Menu
        icon="more"
        aria-label={t.moreActions}
        entries={all
          .filter(([fits]) => fits)
          .map(([, name, label]) => ({
            label,
            refused: name in giving ? giving[name] : refused,
            danger: name === 'cancel',
            onSelect: () => onChoose(name),
          }))}
      />
    </>
  );
}
