import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { DocumentMenu } from '../../billing/DocumentMenu.tsx';
import { SendEInvoice, useEInvoiceFacts } from '../../billing/EInvoice.tsx';
import { useLineWords } from '../../billing/lineWords.ts';
import { texts as billingTexts } from '../../billing/texts.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import { Button } from '../../design/Button.tsx';
import { Columns, Facts, Figure, Page, Section } from '../../design/Page.tsx';
import { Status } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { Id, Money, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { CreditNoteDocumentQuery, CreditNoteQuery, type CreditNoteData } from './query.ts';
import { texts } from './texts.ts';

/** One credit note: what it credits, and its document. */
export function Screen({ id }: { id: string }) {
  const t = useTexts(texts);
  const describe = useLineWords();
  const result = useScreenQuery(CreditNoteQuery, { id }, { ids: [id] });
  const note = result.data?.creditNote;
  return (
    <Page
      title={note?.documentNumber ?? t.creditNote}
      badge={
        note && (
          <Status tone={note.status === 'void' ? 'neutral' : 'good'}>
            {note.status === 'void' ? t.void : t.issued}
          </Status>
        )
      }
      parent={
        note?.invoice
          ? { href: `/invoices/${note.invoice.id}`, title: note.invoice.documentNumber ?? t.invoice }
          : { href: '/invoices', title: t.invoices }
      }
      actions={note && <NoteActions note={note} onDone={result.refetch} />}
      request={{ document: CreditNoteQuery, variables: { id } }}
    >
      <Loaded result={result}>
        {({ creditNote: found }) =>
          found ? (
            <Columns facts={<CreditNoteFacts note={found} />}>
              <Section title={t.lines}>
                <Table
                  caption={t.lines}
                  rows={found.lines}
                  rowKey={({ lineId }) => lineId}
                  columns={[
                    { header: t.description, cell: describe },
                    { header: t.amount, align: 'end', cell: ({ amount }) => <Money amount={amount} /> },
                    { header: t.tax, align: 'end', cell: ({ tax }) => <Money amount={tax} /> },
                  ]}
                  footer={
                    <tr>
                      <td>{t.total}</td>
                      <td className="end" colSpan={2}>
                        <Money amount={found.total} />
                      </td>
                    </tr>
                  }
                />
              </Section>
              {found.memo && (
                <Section title={t.memo}>
                  <p>{found.memo}</p>
                </Section>
              )}
            </Columns>
          ) : (
            <Empty title={t.missing} />
          )
        }
      </Loaded>
    </Page>
  );
}

interface NoteProps {
  note: CreditNoteData;
  onDone: () => void;
}

function NoteActions(props: NoteProps) {
  const t = useTexts(texts);
  return (
    <>
      <SendNote {...props} />
      <DocumentMenu
        label={t.download}
        id={props.note.id}
        document={CreditNoteDocumentQuery}
        pick={(data) => data.creditNote?.document}
      />
    </>
  );
}

/** Sends the e-invoice of a credit note, if its customer receives one or it was sent before. */
function SendNote({ note, onDone }: NoteProps) {
  const { eInvoice: t } = useTexts(billingTexts);
  const refusal = useRefusal('manage_invoices');
  const [isOpen, setOpen] = useState(false);
  const { id, invoice, eInvoiceDelivery } = note;
  if (!eInvoiceDelivery && !invoice?.customer?.documentFormat) return null;
  const close = () => setOpen(false);
  return (
    <>
      <Button refused={refusal} onClick={() => setOpen(true)}>
        {t.sendEInvoice}
      </Button>
      {isOpen && (
        <SendEInvoice
          id={id}
          onClose={close}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </>
  );
}

function CreditNoteFacts({ note }: { note: CreditNoteData }) {
  const t = useTexts(texts);
  const { customer } = note.invoice ?? {};
  const eInvoice = useEInvoiceFacts(note.eInvoiceDelivery);
  return (
    <>
      <Figure name={t.total} note={note.kind === 'refund' ? t.refund : t.credit}>
        <Money amount={note.total} />
      </Figure>
      <Facts
        facts={[
          [
            t.customer,
            customer ? (
              <Link href={`/customers/${customer.id}`}>
                <bdi>{nameCustomer(customer)}</bdi>
              </Link>
            ) : undefined,
          ],
          [
            t.invoice,
            note.invoice ? (
              <Link href={`/invoices/${note.invoice.id}`}>{note.invoice.documentNumber}</Link>
            ) : undefined,
          ],
          [t.reason, note.reason ?? undefined],
          [t.issuedOn, <When at={note.issuedAt} as="time" />],
          ...eInvoice,
          [t.remaining, <Money amount={note.remaining} />],
          [t.id, <Id id={note.id} />],
        ]}
      />
    </>
  );
}
