import { useRefusal } from '../app/permissions.ts';
import { useAction } from '../data/action.tsx';
import { graphql } from '../data/graphql.ts';
import { Button } from '../design/Button.tsx';
import { useToast } from '../design/Toasts.tsx';
import { useTexts } from '../texts/language.tsx';
import { useProblemWords } from '../texts/problems.ts';
import { texts } from './texts.ts';

const CreateLink = graphql(`
  mutation CreateLinkToPay($input: CreatePortalSessionInput!) {
    createPortalSession(input: $input) {
      url
    }
  }
`);

/** Copies a link to the customer's portal, where they pay or give another payment method. */
export function PayLink({ customerId }: { customerId: string | undefined }) {
  const t = useTexts(texts);
  const toast = useToast();
  const describe = useProblemWords();
  const refused = useRefusal('manage_customers');
  const { run, busy, problem } = useAction(CreateLink);
  if (!customerId) return null;
  const copy = async () => {
    const done = await run({ input: { customerId, flow: { type: 'invoices' } } });
    if (!done?.createPortalSession) return;
    await navigator.clipboard.writeText(done.createPortalSession.url);
    toast(t.linkCopied);
  };
  return (
    <Button
      look="quiet"
      icon="copy"
      busy={busy}
      refused={refused}
      aria-label={t.copyLink}
      title={problem ? describe(problem).title : t.copyLink}
      onClick={() => void copy()}
    />
  );
}
