import type { ReactNode } from 'react';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { Section } from './Page.tsx';
import { Table } from './Table.tsx';
import { texts } from './texts.ts';
import { When } from './Values.tsx';

interface Try {
  at: string;
  durationMs: number;
}

interface TriesProps<Each extends Try> {
  attempts: Each[];
  /** What the other side answered. */
  response: (attempt: Each) => ReactNode;
  /** Above the table. */
  children?: ReactNode;
}

/** The tries to deliver something. */
export function Tries<Each extends Try>({ attempts, response, children }: TriesProps<Each>) {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Section title={t.tries}>
      {children}
      <Table
        caption={t.tries}
        rows={attempts}
        rowKey={({ at }) => at}
        empty={t.noTries}
        columns={[
          { header: t.time, cell: ({ at }) => <When at={at} as="time" /> },
          { header: t.response, cell: response },
          {
            header: t.duration,
            align: 'end',
            cell: ({ durationMs }) => t.milliseconds(format.number(durationMs)),
          },
        ]}
      />
    </Section>
  );
}
