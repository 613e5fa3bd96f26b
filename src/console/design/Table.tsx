import type { ReactNode } from 'react';
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

/** A short table within a screen; `DataTable` shows lists of any length. */
export function Table<Row>({ caption, columns, rows, rowKey, empty, footer }: TableProps<Row>) {
  if (rows.length === 0 && empty) return <p className="soft table-empty">{empty}</p>;
  return (
    <div className="table-frame" tabIndex={0} role="region" aria-label={caption}>
      <table className="table">
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ header, align }) => (
              <th key={header} scope="col" className={align === 'end' ? 'end' : undefined}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ header, align, cell }) => (
                <td key={header} className={align === 'end' ? 'end' : undefined}>
                  {isolate(cell(row))}
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
