import type { RowOf } from './columns.ts';
import { catalog } from './catalog.ts';
import { invoicing } from './invoices.ts';
import { subscribing } from './subscriptions.ts';
import { tenancy } from './tenants.ts';
import { webhooks } from './webhooks.ts';

/**
 * Every table, once. Keys begin with the tenant's alias: it never changes, answers carry it,
 * and it lets the database be split by tenant.
 */
export const schema = { ...tenancy, ...catalog, ...subscribing, ...invoicing, ...webhooks };

export type TableName = keyof typeof schema;
export type Row<Name extends TableName> = RowOf<(typeof schema)[Name]>;

/** A table as SQL names it. */
export const quotedTable = (name: TableName): string => `"${schema[name].name}"`;
