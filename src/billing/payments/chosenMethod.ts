import type { PaymentProvider } from '../../providers/provider.ts';
import { findNamedProvider, selectProvider } from '../../providers/registry.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';

/**
 * Returns the provider of a method that a payer has just chosen; reads no accounts if the method names its provider. Error:
 * `validation_failed`.
 */
export const findChosenProvider = async (tenant: SteppedTenant, method: string): Promise<PaymentProvider> =>
  findNamedProvider(method, tenant.record) ??
  selectProvider(await tenant.loadProviders(), method, tenant.record);
