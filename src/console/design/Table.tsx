import type { ReactNode } from 'react';
import { useNarrow } from './narrow.ts';
import { isolate } from './Values.tsx';
import './Table.css';

/** A column of a short table. */
export interface SimpleColumn<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'start' | 'end';
}

interface TableProps<Row> {
  /** Says what the table shows, to screen readers. */
  caption: string;
  columns: SimpleColumn<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string;
  /** Shown instead of the rows if there are none. */
  empty?: ReactNode;
  footer?: ReactNode;
}

/** On a phone, rows of more columns are cards. */
const mostOnPhones = 2;
/** More columns than these are closer together. */
const mostWide = 8;

/** A short table within a screen; `DataTable` shows lists of any length. On a phone its rows are cards. */
export function Table<Row>({ caption, columns, rows, rowKey, empty, footer }: TableProps<Row>) {
  const isCards = useNarrow() && columns.length > mostOnPhones;
  const look = isCards ? 'cards' : columns.length > mostWide ? 'dense' : '';
  // A table whose rows are no table rows to the browser is still one to screen readers.
  const role = (name: string) => (isCards ? name : undefined);
  if (rows.length === 0 && empty) return <p className="soft table-empty">{empty}</p>;
  return (
    <div className="table-frame" tabIndex={0} role="region" aria-label={caption}>
      <table role={role('table')} className={`table ${look}`}>
        <caption className="unseen">{caption}</caption>
        <thead role={role('rowgroup')}>
          <tr role={role('row')}>
            {columns.map(({ header, align }) => (
              <th
                key={header}
                scope="col"
                role={role('columnheader')}
                className={align === 'end' ? 'end' : undefined}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role={role('rowgroup')}>
          {rows.map((row) => (
            <tr key={rowKey(row)} role={role('row')}>
              {columns.map(({ header, align, cell }) => (
                <td
                  key={header}
                  role={role('cell')}
                  data-label={header}
                  className={align === 'end' ? 'end' : undefined}
                >
                  <div>{isolate(cell(row))}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {footer && <tfoot>{footer}</tfoot>}
      </table>
    </div>
  );
}
