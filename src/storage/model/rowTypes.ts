import type { DeclaredRow, NewDeclaredRow } from './columns.ts';
import { approving } from './approvals.ts';
import { catalog } from './catalog.ts';
import { crediting } from './credits.ts';
import { discounting } from './discounts.ts';
import { documenting } from './documents.ts';
import { eInvoicing } from './eInvoices.ts';
import { entitling } from './entitlements.ts';
import { waiting } from './invoiceItems.ts';
import { invoicing } from './invoices.ts';
import { mails } from './mails.ts';
import { memberships, operating, serving } from './operators.ts';
import { paying } from './paymentMethods.ts';
import { portal } from './portal.ts';
import { revenue } from './revenue.ts';
import { searching } from './search.ts';
import { subscribing } from './subscriptions.ts';
import { tenancy } from './tenants.ts';
import { metering } from './usage.ts';
import { webhooks } from './webhooks.ts';

/**
 * All tables. Keys begin with the tenant's alias: it is immutable and part of every response, and it allows
 * distributing the database by tenant. Only the tables of operators and settings, which belong to the server, have no tenant.
 */
export const tableDeclarations = {
  ...serving,
  ...operating,
  ...tenancy,
  ...catalog,
  ...discounting,
  ...paying,
  ...subscribing,
  ...invoicing,
  ...crediting,
  ...waiting,
  ...documenting,
  ...eInvoicing,
  ...approving,
  ...webhooks,
  ...mails,
  ...portal,
  ...revenue,
  ...metering,
  ...entitling,
  ...searching,
  ...memberships,
};

export type TableName = keyof typeof tableDeclarations;
/** A table whose rows belong to the server. */
export type ServerTable = keyof typeof operating | keyof typeof serving;
/** A table whose rows belong to a tenant. */
export type TenantTable = Exclude<TableName, ServerTable>;
export type Row<Name extends TableName> = DeclaredRow<(typeof tableDeclarations)[Name]>;
/** A row to insert: columns that may be null may be left out, and the tenant is added. */
export type NewRow<Name extends TableName> = Omit<
  NewDeclaredRow<(typeof tableDeclarations)[Name]>,
  'tenantAlias'
>;

/** Returns the quoted SQL name of a table. */
export const quoteTable = (name: TableName): string => `"${tableDeclarations[name].name}"`;

/** Whether the rows of a table belong to the server, not to a tenant. */
export const isServerTable = (name: TableName): name is ServerTable => name in operating || name in serving;
