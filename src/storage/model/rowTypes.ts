import type { DeclaredRow } from './columns.ts';
import { catalog } from './catalog.ts';
import { discounting } from './discounts.ts';
import { documenting } from './documents.ts';
import { invoicing } from './invoices.ts';
import { mails } from './mails.ts';
import { paying } from './paymentMethods.ts';
import { portal } from './portal.ts';
import { subscribing } from './subscriptions.ts';
import { tenancy } from './tenants.ts';
import { webhooks } from './webhooks.ts';

/**
 * All tables. Keys begin with the tenant's alias: it is immutable and part of every response, and it allows
 * distributing the database by tenant.
 */
export const tableDeclarations = {
  ...tenancy,
  ...catalog,
  ...discounting,
  ...paying,
  ...subscribing,
  ...invoicing,
  ...documenting,
  ...webhooks,
  ...mails,
  ...portal,
};

export type TableName = keyof typeof tableDeclarations;
export type Row<Name extends TableName> = DeclaredRow<(typeof tableDeclarations)[Name]>;

/** Returns the quoted SQL name of a table. */
export const quoteTable = (name: TableName): string => `"${tableDeclarations[name].name}"`;
