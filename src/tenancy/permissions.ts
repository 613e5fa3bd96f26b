/** What operators and API keys may do. */
import type { OperatorRole } from '../storage/model/operators.ts';

/** All permissions, with what each allows. */
export const permissions = {
  read: 'See all records.',
  manage_customers: 'Create and change customers, their payment methods, portal links and mails.',
  manage_subscriptions: 'Start, change, pause and cancel subscriptions.',
  manage_invoices: 'Create, finalize, pay and void invoices and their items.',
  refund: 'Refund money and issue credit notes.',
  credit: 'Grant credits and discounts.',
  manage_catalog: 'Create and change products, prices, coupons and tax rates.',
  manage_settings: 'Change settings of the tenant, its mails and its number series.',
  manage_accounts: 'Change accounts at payment providers and mail servers.',
  manage_keys: 'See, create and revoke API keys.',
  manage_webhooks: 'Change webhook endpoints and send deliveries again.',
  manage_operators: 'Invite operators, change their roles and remove them; create and delete test tenants.',
  erase: 'Delete customers and erase personal data.',
  read_documents: 'Read the invoices and credit notes of erased customers, which the law demands to keep.',
  export_data: 'Save whole lists and figures as files.',
  control_clock: 'Move the clock of a test tenant.',
  propose:
    'Ask for what moves money or cannot be undone. Who also has the permission of the operation decides about requests of others.',
} as const;

export type Permission = keyof typeof permissions;

const all = Object.keys(permissions) as Permission[];

/** The permissions of each role, the most powerful role first. */
export const permissionsByRole: Record<OperatorRole, readonly Permission[]> = {
  owner: all,
  admin: all,
  finance: [
    'read',
    'manage_customers',
    'manage_invoices',
    'refund',
    'credit',
    'read_documents',
    'export_data',
    'propose',
  ],
  support: ['read', 'manage_customers', 'manage_subscriptions', 'propose'],
  viewer: ['read'],
};

export const roles = Object.keys(permissionsByRole) as OperatorRole[];

/** Whether a role is higher than another. */
export const isHigherRole = (role: OperatorRole, other: OperatorRole): boolean =>
  roles.indexOf(role) < roles.indexOf(other);

/** Permissions that no API key has: with them a leaked key could give itself, or its thief, lasting access. */
const operatorPermissions: ReadonlySet<Permission> = new Set<Permission>(['manage_keys', 'manage_operators']);

/** Whether only operators have a permission. */
export const isForOperators = (permission: string | undefined): boolean =>
  operatorPermissions.has(permission as Permission);

/** The permissions of an API key, which acts for the tenant's own programs. */
export const keyPermissions = {
  read: ['read'],
  write: all.filter((permission) => !isForOperators(permission)),
} as const satisfies Record<string, readonly Permission[]>;

/** Permissions whose use needs a sign-in, or a repeated one, within the last ten minutes. */
const stepUpPermissions: ReadonlySet<Permission> = new Set<Permission>([
  'refund',
  'manage_accounts',
  'manage_keys',
  'manage_operators',
  'erase',
  'export_data',
]);

/** Whether an operation needs a recent sign-in: changes do, and exports, which only read. */
export const needsStepUp = (permission: Permission, isChange: boolean): boolean =>
  stepUpPermissions.has(permission) && (isChange || permission === 'export_data');
