import { useState } from 'react';
import type { TypedDocumentNode } from 'urql';
import { useRefusal } from '../app/permissions.ts';
import { useAction } from '../data/action.tsx';
import type { Problem } from '../data/errors.ts';
import { graphql } from '../data/graphql.ts';
import { useScreenQuery } from '../data/query.tsx';
import type { Permission } from '../data/session.tsx';
import { Button } from '../design/Button.tsx';
import { ConfirmAction } from '../design/ConfirmAction.tsx';
import { Field } from '../design/Field.tsx';
import { Facts, Section } from '../design/Page.tsx';
import { useToast } from '../design/Toasts.tsx';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import {
  buildMetadata,
  emptyEntry,
  findEntryProblems,
  listEntries,
  type Entry,
  type Metadata,
} from './metadataEntries.ts';
import { texts } from './texts.ts';
import './Metadata.css';

const longestName = 40;

type Update = TypedDocumentNode<unknown, { id: string; metadata: Metadata }>;

/** The mutation that replaces the metadata of each kind of record, and the permission that it needs. */
const updates = {
  customer: {
    permission: 'manage_customers',
    document: graphql(`
      mutation UpdateCustomerMetadata($id: ID!, $metadata: JSONObject) {
        updateCustomer(id: $id, input: { metadata: $metadata }) {
          id
          metadata
        }
      }
    `),
  },
  subscription: {
    permission: 'manage_subscriptions',
    document: graphql(`
      mutation UpdateSubscriptionMetadata($id: ID!, $metadata: JSONObject) {
        updateSubscription(id: $id, input: { metadata: $metadata }) {
          id
          metadata
        }
      }
    `),
  },
  intent: {
    permission: 'manage_subscriptions',
    document: graphql(`
      mutation UpdateIntentMetadata($id: ID!, $metadata: JSONObject) {
        updateIntent(id: $id, input: { metadata: $metadata }) {
          id
          metadata
        }
      }
    `),
  },
  invoice: {
    permission: 'manage_invoices',
    document: graphql(`
      mutation UpdateInvoiceMetadata($id: ID!, $metadata: JSONObject) {
        updateInvoice(id: $id, input: { metadata: $metadata }) {
          id
          metadata
        }
      }
    `),
  },
  payment: {
    permission: 'manage_invoices',
    document: graphql(`
      mutation UpdatePaymentMetadata($id: ID!, $metadata: JSONObject) {
        updatePayment(id: $id, input: { metadata: $metadata }) {
          id
          metadata
        }
      }
    `),
  },
  product: {
    permission: 'manage_catalog',
    document: graphql(`
      mutation UpdateProductMetadata($id: ID!, $metadata: JSONObject) {
        updateProduct(id: $id, input: { metadata: $metadata }) {
          id
          metadata
        }
      }
    `),
  },
  coupon: {
    permission: 'manage_catalog',
    document: graphql(`
      mutation UpdateCouponMetadata($id: ID!, $metadata: JSONObject) {
        updateCoupon(id: $id, input: { metadata: $metadata }) {
          id
          metadata
        }
      }
    `),
  },
} satisfies Record<string, { permission: Permission; document: unknown }>;

interface MetadataProps {
  /** The kind of the record. */
  of: keyof typeof updates;
  record: { id: string; metadata: Metadata };
}

const IntentMetadata = graphql(`
  query IntentMetadata($id: ID!) {
    intent(id: $id) {
      id
      metadata
    }
  }
`);

/** The metadata of the order from which a subscription came; it keeps its own. */
export function OrderMetadata({ intentId }: { intentId: string }) {
  const t = useTexts(texts);
  const { data } = useScreenQuery(IntentMetadata, { id: intentId }, { ids: [intentId] });
  if (!data?.intent) return null;
  return <MetadataFacts of="intent" record={data.intent} title={t.orderMetadata} />;
}

/** The metadata of a record, with the button that edits it. */
export function MetadataFacts({ of, record, title }: MetadataProps & { title?: string }) {
  const t = useTexts(texts);
  const [isOpen, setOpen] = useState(false);
  const refused = useRefusal(updates[of].permission);
  const entries = listEntries(record.metadata);
  const edit = (
    <Button look="quiet" refused={refused} aria-label={t.editMetadata} onClick={() => setOpen(true)}>
      {t.edit}
    </Button>
  );
  return (
    <Section title={title ?? t.metadata} actions={edit}>
      {entries.length === 0 && <p className="soft">{t.noMetadata}</p>}
      <Facts facts={entries.map(({ name, text }) => [name, <span dir="auto">{text}</span>])} />
      {isOpen && <MetadataDialog of={of} record={record} onClose={() => setOpen(false)} />}
    </Section>
  );
}

/** The number of metadata of a record in a row of a table, which opens them. */
export function MetadataButton({ of, record }: MetadataProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  const names = Object.keys(record.metadata);
  const count = format.number(names.length);
  return (
    <>
      <Button look="quiet" title={names.join(', ')} onClick={() => setOpen(true)}>
        {t.metadataCount(count)}
      </Button>
      {isOpen && <MetadataDialog of={of} record={record} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Changes the names and texts of metadata; each refusal is shown at its line. */
function MetadataDialog({ of, record, onClose }: MetadataProps & { onClose: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const { permission, document } = updates[of];
  const refused = useRefusal(permission);
  const action = useAction(document as Update);
  const [entries, setEntries] = useState(() => [...listEntries(record.metadata), emptyEntry]);
  const change = (at: number, changes: Partial<Entry>) =>
    setEntries(entries.map((entry, index) => (index === at ? { ...entry, ...changes } : entry)));
  const remove = (at: number) => setEntries(entries.filter((_, index) => index !== at));
  const { metadata, repeated } = buildMetadata(entries);
  const save = async () => {
    if (!(await action.run({ id: record.id, metadata }))) return;
    toast(t.saved);
    onClose();
  };
  return (
    <ConfirmAction
      title={t.editMetadata}
      placement="side"
      label={t.save}
      refused={refused ?? (repeated.size > 0 ? t.repeatedName : undefined)}
      action={action}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <p className="soft">{t.metadataNote}</p>
      {entries.map((entry, index) => (
        <EntryFields
          key={index}
          entry={entry}
          problem={action.problem}
          repeated={repeated}
          onChange={(changes) => change(index, changes)}
          onRemove={() => remove(index)}
        />
      ))}
      <Button icon="plus" edits onClick={() => setEntries([...entries, emptyEntry])}>
        {t.addEntry}
      </Button>
    </ConfirmAction>
  );
}

interface EntryFieldsProps {
  entry: Entry;
  problem: Problem | undefined;
  repeated: ReadonlySet<string>;
  onChange: (changes: Partial<Entry>) => void;
  onRemove: () => void;
}

function EntryFields({ entry, problem, repeated, onChange, onRemove }: EntryFieldsProps) {
  const t = useTexts(texts);
  const { name, text } = entry;
  const { ofName, ofValue } = findEntryProblems(entry, problem);
  return (
    <fieldset className="metadata-line">
      <Field
        compact
        label={t.metadataName}
        placeholder={t.metadataName}
        dir="auto"
        value={name}
        // The server shortens a name that is too long.
        path={name.length > longestName ? `metadata.${name.slice(0, longestName)}…` : undefined}
        problem={repeated.has(name) ? t.repeatedName : ofName}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <Field
        compact
        label={t.metadataValue}
        placeholder={t.metadataValue}
        dir="auto"
        value={text}
        path={`metadata.${name}`}
        labelInProblems={name}
        problem={ofValue}
        onChange={({ target }) => onChange({ text: target.value })}
      />
      <Button look="quiet" icon="close" edits aria-label={t.removeEntry(name)} onClick={onRemove} />
    </fieldset>
  );
}
