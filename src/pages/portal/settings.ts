import type { PortalSettings } from '../../storage/model/common.ts';

/** Whether customers can change anything of a plan. */
export const isPlanOn = ({ planChange, quantityChange, addOns }: PortalSettings): boolean =>
  planChange || quantityChange || addOns;
