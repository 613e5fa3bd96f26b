import type { DeclaredRow } from './columns.ts';
import { catalog } from './catalog.ts';
import { invoicing } from './invoices.ts';
import { subscribing } from './subscriptions.ts';
import { tenancy } from './tenants.ts';
import { webhooks } from './webhooks.ts';

/**
 * Every table, once. Keys begin with the tenant's alias: it never changes, answers carry it,
 * and it lets the database be split by tenant.
 */
export const tableDeclarations = { ...tenancy, ...catalog, ...subscribing, ...invoicing, ...webhooks };

export type TableName = keyof typeof tableDeclarations;
export type Row<Name extends TableName> = DeclaredRow<(typeof tableDeclarations)[Name]>;

/** A table as SQL names it. */
export const quotedTable = (name: TableName): string => `"${tableDeclarations[name].name}"`;
