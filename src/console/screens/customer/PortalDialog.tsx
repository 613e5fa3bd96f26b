import { useState } from 'react';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Select } from '../../design/Field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import type { CustomerDialogProps } from './dialogProps.ts';
import { LinkDialog } from './LinkDialog.tsx';
import { sellTexts as texts } from './texts.ts';

const CreatePortalLink = graphql(`
  mutation CreatePortalLink($input: CreatePortalSessionInput!) {
    createPortalSession(input: $input) {
      url
      expiresAt
    }
  }
`);

const flows = ['overview', 'payment_method', 'invoices', 'details'] as const;

/** Creates a link by which the customer signs in to the portal once, and shows it once. */
export function PortalDialog({ customer, onClose }: CustomerDialogProps) {
  const t = useTexts(texts);
  const action = useAction(CreatePortalLink);
  const [type, setType] = useState<(typeof flows)[number]>('overview');
  const [link, setLink] = useState<{ url: string; expiresAt: string }>();
  const create = async () => {
    const done = await action.run({ input: { customerId: customer.id, flow: { type } } });
    if (done?.createPortalSession) setLink(done.createPortalSession);
  };
  if (link) return <LinkDialog title={t.portalLink} note={t.portalNote} {...link} onClose={onClose} />;
  return (
    <ConfirmAction
      title={t.portalLink}
      label={t.createLink}
      action={action}
      onConfirm={() => void create()}
      onClose={onClose}
    >
      <p className="soft">{t.portalText(nameCustomer(customer))}</p>
      <Select
        label={t.opens}
        value={type}
        choices={flows.map((value) => ({ value, label: t[value] }))}
        onChange={({ target }) => setType(target.value as typeof type)}
      />
    </ConfirmAction>
  );
}
