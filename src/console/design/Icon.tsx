const paths = {
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4Z',
  customers:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.7a2.5 2.5 0 0 1 0 4.6M12 9.8c1.6.6 2.5 1.9 2.5 3.7',
  subscriptions: 'M13.5 8a5.5 5.5 0 0 1-9.8 3.4M2.5 8a5.5 5.5 0 0 1 9.8-3.4M12.5 2v3h-3M3.5 14v-3h3',
  invoices: 'M3.5 1.5h9v13l-2.2-1.5L8 14.5 5.7 13l-2.2 1.5ZM6 5h4M6 8h4',
  payments: 'M1.5 3.5h13v9h-13ZM1.5 6.5h13M4 10h3',
  catalog: 'M8 1.5 14 5v6l-6 3.5L2 11V5ZM2 5l6 3.5L14 5M8 8.5v6',
  coupons: 'M1.5 4.5h13v2a1.5 1.5 0 0 0 0 3v2h-13v-2a1.5 1.5 0 0 0 0-3ZM10 4.5v7',
  meters: 'M2 12.5a6.5 6.5 0 1 1 12 0M8 12.5l3-5M4 12.5h8',
  developers: 'm5 4.5-3.5 3.5L5 11.5M11 4.5l3.5 3.5-3.5 3.5M9.3 2.5l-2.6 11',
  webhooks:
    'M8 1.5v5l4.3 2.5M8 6.5 3.7 9M8 3.5a1 1 0 1 0 0-2 1 1 0 0 0 0 2ZM3 11a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM13 11a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.5 12.5h7',
  keys: 'M5.5 13a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM8 7l5.5-5.5M11 4l2 2',
  events: 'M1.5 8h3l2-5 3 10 2-5h3',
  mail: 'M1.5 3.5h13v9h-13Zm0 .5L8 8.5 14.5 4',
  settings:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4',
  search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM10.8 10.8l3.7 3.7',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'm3.5 3.5 9 9M12.5 3.5l-9 9',
  check: 'm3 8.5 3.2 3.2L13 4.5',
  copy: 'M5.5 5.5h8v8h-8ZM3.5 10.5h-1v-8h8v1',
  down: 'm4 6 4 4 4-4',
  next: 'm6 4 4 4-4 4',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  download: 'M8 2v8M4.5 6.5 8 10l3.5-3.5M2.5 13.5h11',
  columns: 'M2.5 2.5h11v11h-11ZM6.2 2.5v11M9.8 2.5v11',
  plus: 'M8 3v10M3 8h10',
  clock: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 4v4l2.5 2',
  help: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM6 6.2A2 2 0 1 1 8 8.5v.8M8 11.5v.01',
  warning: 'M8 2 14.5 13.5h-13ZM8 6.5v3M8 11.5v.01',
  external: 'M9.5 2.5h4v4M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4',
  sort: 'M8 3v10M4.5 9.5 8 13l3.5-3.5',
  outward: 'M6.5 2.5h-4v11h4M10 4.5 13.5 8 10 11.5M13.5 8h-8',
} as const;

export type IconName = keyof typeof paths;

/** An icon of 16 pixels in the colour of the text. It says nothing to screen readers: the element around it does. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
