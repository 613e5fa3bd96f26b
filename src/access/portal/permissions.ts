/** What a session of the portal may do: everything, or what the operator may do who made its link. */
import type { PortalFlow, PortalSettings } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Permission } from '../../tenancy/permissions.ts';

/** The permissions that an operator needs for what customers do in the portal. */
const portalPermissions: readonly Permission[] = [
  'manage_customers',
  'manage_subscriptions',
  'manage_invoices',
  'credit',
];

/** The permission that a page needs, beyond that of making a link. */
export const flowPermissions: { [Type in PortalFlow['type']]?: Permission } = {
  cancel: 'manage_subscriptions',
  change_plan: 'manage_subscriptions',
};

/** Returns the permissions that a link keeps of its maker; null if nothing in the portal needs another. */
export const pickPortalPermissions = (permissions: readonly Permission[]): Permission[] | null =>
  portalPermissions.every((each) => permissions.includes(each))
    ? null
    : portalPermissions.filter((each) => permissions.includes(each));

/** Whether a session may do what needs a permission. */
export const mayInPortal = (
  { permissions }: Pick<Row<'portalSessions'>, 'permissions'>,
  permission: Permission,
): boolean => permissions === null || permissions.includes(permission);

/** Returns the settings of the portal without what a session may not do. */
export function restrictSettings(
  settings: PortalSettings,
  session: Pick<Row<'portalSessions'>, 'permissions'>,
): PortalSettings {
  if (session.permissions === null) return settings;
  const mayChange = mayInPortal(session, 'manage_subscriptions');
  const mayGive = mayInPortal(session, 'credit');
  return {
    ...settings,
    ...(!mayChange && { planChange: false, quantityChange: false, addOns: false, pause: false }),
    ...(!mayChange && { cancellation: 'off' as const }),
    ...(!mayGive && { promotionCodes: false, retentionCouponId: null }),
  };
}
