import type { Permission } from '../../data/session.tsx';

/** Those of the people who use the console, which no key has. */
type OperatorPermission = 'manage_keys' | 'manage_operators';
export type GrantablePermission = Exclude<Permission, OperatorPermission>;

/** The permissions that a key may have, in the order of the form. */
export const grantable = [
  'read',
  'manage_customers',
  'manage_subscriptions',
  'manage_invoices',
  'refund',
  'credit',
  'manage_catalog',
  'manage_settings',
  'manage_accounts',
  'manage_webhooks',
  'erase',
  'read_documents',
  'export_data',
  'control_clock',
  'propose',
] as const satisfies GrantablePermission[];
