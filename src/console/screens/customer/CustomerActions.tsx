import { useRefusal } from '../../app/permissions.ts';
import { DiscountDialog } from '../../billing/DiscountDialog.tsx';
import { topUpTexts } from '../../billing/credits/texts.ts';
import { TopUpDialog } from '../../billing/credits/TopUpDialog.tsx';
import { texts as words } from '../../billing/texts.ts';
import { Button } from '../../design/Button.tsx';
import { Menu } from '../../design/Menu.tsx';
import { texts as shared } from '../../design/texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { BlockMailDialog } from './BlockMailDialog.tsx';
import { ChargeDialog } from './ChargeDialog.tsx';
import { CreateGrant } from './CreateGrant.tsx';
import type { CustomerDialogProps } from './dialogProps.ts';
import { EInvoiceDialog } from './EInvoiceDialog.tsx';
import { EditDialog } from './EditDialog.tsx';
import { EndDialog } from './EndDialog.tsx';
import { GrantCredit } from './GrantCredit.tsx';
import { PortalDialog } from './PortalDialog.tsx';
import { SellDialog } from './SellDialog.tsx';
import { TaxDialog } from './TaxDialog.tsx';
import { eInvoiceTexts, grantTexts, texts, personTexts, sellTexts } from './texts.ts';

const dialogs = {
  sell: SellDialog,
  charge: ChargeDialog,
  credit: GrantCredit,
  grant: CreateGrant,
  discount: ({ customer, onClose, onDone }: CustomerDialogProps) => (
    <DiscountDialog
      holder={{ customerId: customer.id }}
      onClose={onClose}
      onDone={() => {
        onDone();
        onClose();
      }}
    />
  ),
  topUp: ({ customer, ...props }: CustomerDialogProps) => <TopUpDialog customerId={customer.id} {...props} />,
  portal: PortalDialog,
  edit: EditDialog,
  tax: TaxDialog,
  eInvoice: EInvoiceDialog,
  blockMail: BlockMailDialog,
  erase: (props: CustomerDialogProps) => <EndDialog name="erase" {...props} />,
  delete: (props: CustomerDialogProps) => <EndDialog name="delete" {...props} />,
};

export type CustomerActionName = keyof typeof dialogs;

/** The dialog of an action on a customer. */
export function CustomerDialog({ name, ...props }: CustomerDialogProps & { name: CustomerActionName }) {
  const Dialog = dialogs[name];
  return <Dialog {...props} />;
}

interface CustomerActionsProps {
  customer: CustomerDialogProps['customer'];
  onChoose: (name: CustomerActionName) => void;
}

/** What can be done for a customer. */
export function CustomerActions({ customer, onChoose }: CustomerActionsProps) {
  const t = useTexts(texts);
  const billing = useTexts(words);
  const sell = useTexts(sellTexts);
  const grants = useTexts(grantTexts);
  const topUps = useTexts(topUpTexts);
  const person = useTexts(personTexts);
  const { eInvoices } = useTexts(eInvoiceTexts);
  const { moreActions } = useTexts(shared);
  const refused = {
    manage_subscriptions: useRefusal('manage_subscriptions'),
    manage_invoices: useRefusal('manage_invoices'),
    credit: useRefusal('credit'),
    manage_customers: useRefusal('manage_customers'),
    erase: useRefusal('erase'),
  };
  const entry = (name: CustomerActionName, label: string, permission: keyof typeof refused) => ({
    label,
    refused: refused[permission],
    danger: permission === 'erase',
    onSelect: () => onChoose(name),
  });
  return (
    <>
      <Button look="main" refused={refused.manage_subscriptions} onClick={() => onChoose('sell')}>
        {sell.sell}
      </Button>
      <Menu
        icon="more"
        aria-label={moreActions}
        entries={[
          entry('charge', sell.oneOff, 'manage_invoices'),
          entry('credit', t.grantCredit, 'credit'),
          entry('grant', grants.create, 'credit'),
          entry('topUp', topUps.create, 'manage_invoices'),
          entry('discount', billing.applyDiscount, 'credit'),
          entry('portal', sell.portalLink, 'manage_customers'),
          'line',
          entry('edit', person.edit, 'manage_customers'),
          entry('tax', person.tax, 'manage_customers'),
          entry('eInvoice', eInvoices, 'manage_customers'),
          ...(customer.mailBlockedAt ? [] : [entry('blockMail', person.blockMail, 'manage_customers')]),
          'line',
          entry('erase', person.erase, 'erase'),
          entry('delete', person.delete, 'erase'),
        ]}
      />
    </>
  );
}
