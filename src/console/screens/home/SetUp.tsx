import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useScreenQuery } from '../../data/query.tsx';
import { useCan, useTenant, type Permission } from '../../data/session.tsx';
import { useStored } from '../../data/stored.ts';
import { Button } from '../../design/Button.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Icon } from '../../design/Icon.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { CreateProductDialog } from '../catalog/CreateProduct.tsx';
import { GroupsQuery } from '../catalog/query.ts';
import { CreateCustomer } from '../customers/CreateCustomer.tsx';
import { SetUpQuery, type SetUpData } from './query.ts';
import { texts } from './texts.ts';

const stepNames = [
  'seller',
  'payments',
  'mail',
  'tax',
  'branding',
  'product',
  'customer',
  'invoice',
] as const;
type StepName = (typeof stepNames)[number];

/** The form of each step: a part of the settings, a dialog of this screen, or the sale to a customer. */
const forms: Record<StepName, { permission: Permission; settings?: string }> = {
  seller: { permission: 'manage_settings', settings: 'business' },
  payments: { permission: 'manage_settings', settings: 'providers' },
  mail: { permission: 'manage_settings', settings: 'mail' },
  tax: { permission: 'manage_settings', settings: 'taxes' },
  branding: { permission: 'manage_settings', settings: 'branding' },
  product: { permission: 'manage_catalog' },
  customer: { permission: 'manage_customers' },
  invoice: { permission: 'manage_subscriptions' },
};

/** What is done, as the records of the tenant say. */
function findDone({ tenant, products, customers, invoices }: SetUpData): Record<StepName, boolean> {
  const { seller, branding } = tenant ?? {};
  return {
    seller: Boolean(
      seller?.address?.line1 && (seller.taxIds.length > 0 || seller.chargesNoTax || seller.taxExemption),
    ),
    payments: tenant?.canBePaid ?? false,
    mail: tenant?.mail.enabled ?? false,
    tax: seller?.address !== undefined && seller?.address !== null && tenant?.untaxedCountry === null,
    branding: Boolean(branding?.displayName || branding?.color || seller?.logoId),
    product: products?.nodes.some(({ prices }) => prices.length > 0) ?? false,
    customer: (customers?.nodes.length ?? 0) > 0,
    invoice: (invoices?.nodes.length ?? 0) > 0,
  };
}

/** The steps from an empty tenant to its first paid invoice, until somebody puts the list away in this browser. */
export function SetUp() {
  const { alias } = useTenant();
  const [isHidden, setHidden] = useStored(`setUpHidden:${alias}`, false);
  return isHidden ? (
    <HiddenSetUp onShow={() => setHidden(false)} />
  ) : (
    <Steps onHide={() => setHidden(true)} />
  );
}

function HiddenSetUp({ onShow }: { onShow: () => void }) {
  const t = useTexts(texts);
  return (
    <div>
      <Button look="quiet" onClick={onShow}>
        {t.showSetUp}
      </Button>
    </div>
  );
}

function Steps({ onHide }: { onHide: () => void }) {
  const t = useTexts(texts);
  const format = useFormat();
  const result = useScreenQuery(
    SetUpQuery,
    {},
    { types: ['TenantEvent', 'ProductEvent', 'PriceEvent', 'CustomerEvent', 'InvoiceEvent'] },
  );
  const [dialog, setDialog] = useState<StepName>();
  if (result.problem) return <ProblemNote problem={result.problem} retry={result.refetch} />;
  if (!result.data) return null;
  const done = findDone(result.data);
  const count = stepNames.filter((name) => done[name]).length;
  const isComplete = count === stepNames.length;
  const finish = () => {
    setDialog(undefined);
    result.refetch();
  };
  const next = stepNames.find((name) => !done[name]);
  return (
    <section className="home-setup" aria-labelledby="home-setup-title">
      <div className="row">
        <h2 id="home-setup-title">{isComplete ? t.setUpDone : t.setUp}</h2>
        <span className="soft">{t.stepsDone(format.number(count), format.number(stepNames.length))}</span>
        <Button look="quiet" onClick={onHide}>
          {isComplete ? t.putAway : t.hide}
        </Button>
      </div>
      <progress max={stepNames.length} value={count} aria-labelledby="home-setup-title" />
      {/* Open until the first invoice is paid; afterwards it takes no room from the figures. */}
      <details open={!done.invoice || undefined}>
        <summary>{t.steps}</summary>
        <ol>
          {stepNames.map((name) => (
            <Step
              key={name}
              name={name}
              isDone={done[name]}
              isNext={name === next}
              customerId={result.data?.customers?.nodes[0]?.id}
              onOpen={() => setDialog(name)}
            />
          ))}
        </ol>
      </details>
      {dialog === 'product' && <NewProduct onClose={() => setDialog(undefined)} onCreated={finish} />}
      {dialog === 'customer' && <CreateCustomer thenSell onClose={() => setDialog(undefined)} />}
    </section>
  );
}

interface StepProps {
  name: StepName;
  isDone: boolean;
  isNext: boolean;
  customerId: string | undefined;
  onOpen: () => void;
}

function Step({ name, isDone, isNext, customerId, onOpen }: StepProps) {
  const t = useTexts(texts);
  const { isTest } = useTenant();
  const { title, text, action } = t.setUpSteps[name];
  return (
    <li className={isDone ? 'done' : ''} aria-current={isNext ? 'step' : undefined}>
      <Icon name={isDone ? 'check' : 'next'} />
      <span>
        <strong>{title}</strong>
        {isDone && <span className="unseen"> {t.done}</span>}{' '}
        <span className="soft">{name === 'payments' && isTest ? t.testCards : text}</span>
      </span>
      <StepForm name={name} label={isDone ? t.change : action} customerId={customerId} onOpen={onOpen} />
    </li>
  );
}

interface StepFormProps extends Pick<StepProps, 'name' | 'customerId' | 'onOpen'> {
  label: string;
}

/** Leads to the form of a step; nothing for a role that may not use it, and for a sale before there is a customer. */
function StepForm({ name, label, customerId, onOpen }: StepFormProps): ReactNode {
  const { permission, settings } = forms[name];
  const may = useCan(permission);
  if (!may) return null;
  if (name === 'product' || name === 'customer') return <Button onClick={onOpen}>{label}</Button>;
  const href = settings ? `/settings/${settings}` : customerId && `/customers/${customerId}?act=sell`;
  if (!href) return null;
  return (
    <Link href={href} className="button plain">
      {label}
    </Link>
  );
}

function NewProduct(props: { onClose: () => void; onCreated: () => void }) {
  const { data } = useScreenQuery(GroupsQuery, {});
  return data ? <CreateProductDialog groups={data.groups?.nodes ?? []} {...props} /> : null;
}
