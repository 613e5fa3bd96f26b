/** Whether a customer may use an amount of a feature, and what is left. Pure. */
import { findAlertPeriod } from '../usage/alertPeriods.ts';
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  wholeDecimal,
  type ExactDecimal,
} from '../../lib/decimal.ts';
import type { FeatureRow, Grant, GrantReason } from './grants.ts';

export type EntitlementReason = GrantReason | 'overage' | 'limit_reached' | 'overage_limit_reached';

/** What a customer may do with a feature. Units are decimals as text. */
export interface Entitlement {
  feature: FeatureRow;
  customerId: string;
  /** Whether the amount that was asked for may be used. */
  allowed: boolean;
  /** True or false, the value of a config, or the limit; null for none, and for a limit without end. */
  value: unknown;
  /** The units of a limit; null for no end, and for the other kinds. The four after it are null for the other kinds. */
  limit: string | null;
  used: string | null;
  reserved: string | null;
  /** What is left of the limit; null also for no end. */
  remaining: string | null;
  /** By how much use exceeds the limit. */
  overage: string | null;
  /** When use is counted from 0 again; null if it never is. */
  resetsAt: string | null;
  /** The beginning of the period in which each share of it is told once. */
  alertPeriod: string;
  because: EntitlementReason;
}

/** How much of a limit is used and reserved. */
export interface Use {
  used: ExactDecimal;
  reserved: ExactDecimal;
  /** Whether the end of the period sets the use to 0. */
  resets: boolean;
}

const zero = wholeDecimal(0);

/** Returns what a customer may do with a feature, and whether `amount` is allowed. */
export function evaluate(
  { feature, customerId }: { feature: FeatureRow; customerId: string },
  grant: Grant,
  use: Use,
  amount: ExactDecimal,
): Entitlement {
  if (grant.limit === null) return evaluateValue(feature, customerId, grant);
  const { units, overage } = grant.limit;
  const { used, reserved } = use;
  const taken = addDecimals(used, reserved);
  const wanted = addDecimals(taken, amount);
  const hasAccess = isGranted(grant);
  const limit = units && formatDecimal(units);
  const isWithin = units === null || compareDecimals(wanted, units) <= 0;
  const most = units === null || overage === null ? null : addDecimals(units, overage);
  const allowed = hasAccess && (isWithin || most === null || compareDecimals(wanted, most) <= 0);
  return {
    feature,
    customerId,
    allowed,
    value: limit,
    limit,
    used: formatDecimal(used),
    reserved: formatDecimal(reserved),
    remaining: units && formatDecimal(atLeastZero(subtract(units, taken))),
    overage: formatDecimal(units === null ? zero : atLeastZero(subtract(used, units))),
    resetsAt: use.resets && hasAccess ? grant.period.end : null,
    alertPeriod: findAlertPeriod(use.resets ? grant.period.start : null),
    because: !hasAccess || isWithin ? grant.because : explainExcess(allowed, overage),
  };
}

const explainExcess = (allowed: boolean, overage: ExactDecimal | null): EntitlementReason => {
  if (allowed) return 'overage';
  return overage !== null && overage.digits === 0n ? 'limit_reached' : 'overage_limit_reached';
};

/** Whether a product or an override gives the feature now. */
const isGranted = ({ because }: Grant): boolean => because === 'included' || because === 'override';

function evaluateValue(feature: FeatureRow, customerId: string, grant: Grant): Entitlement {
  const { value, because } = grant;
  const allowed = isGranted(grant) && value !== false && value !== null;
  return {
    feature,
    customerId,
    allowed,
    value,
    limit: null,
    used: null,
    reserved: null,
    remaining: null,
    overage: null,
    resetsAt: null,
    alertPeriod: findAlertPeriod(grant.period.start),
    because: because === 'included' && !allowed ? 'not_included' : because,
  };
}

const subtract = (a: ExactDecimal, { digits, scale }: ExactDecimal): ExactDecimal =>
  addDecimals(a, { digits: -digits, scale });

const atLeastZero = (value: ExactDecimal): ExactDecimal => (value.digits < 0n ? zero : value);
