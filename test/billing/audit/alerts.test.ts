/** The audit of alerts: told once, after their usage, and remembered only if an event tells of them. */
import { describe, expect, it } from 'vitest';
import { createAlertAudit } from '../../../src/billing/audit/auditAlerts.ts';

const periodStart = '2026-01-01T00:00:00.000Z';
const limitAlert = (fields: object = {}): any => ({
  payload: {
    action: 'usage_alert',
    resourceId: 'cus_1',
    details: { feature: 'calls', percent: 50, used: '50.5', limit: '101', periodStart, ...fields },
  },
});
const spendAlert = (fields: object = {}): any => ({
  payload: {
    action: 'spend_alert',
    resourceId: 'sub_1',
    details: { amount: 50, spent: 50, currency: 'eur', periodStart, ...fields },
  },
});
const limitRow = (percent: number): any => ({ customerId: 'cus_1', feature: 'calls', periodStart, percent });
const subscription = (amountMinor: string): any => ({
  id: 'sub_1',
  spendAlerted: { periodStart, amountMinor },
});
const other = { payload: { action: 'updated', resourceId: 'cus_1' } } as any;

interface Case {
  traces: any[];
  limits?: any[];
  subscriptions?: any[];
  found: string[];
}

describe('the audit of alerts', () => {
  it.each<[string, Case]>([
    ['sound alerts', { traces: [other, limitAlert(), spendAlert()], limits: [limitRow(50)], found: [] }],
    [
      'several shares and periods',
      {
        traces: [
          limitAlert(),
          limitAlert({ percent: 80, used: '80.8' }),
          limitAlert({ periodStart: '2026-02-01T00:00:00.000Z' }),
          limitAlert({ feature: 'seats' }),
        ],
        limits: [limitRow(80)],
        found: [],
      },
    ],
    [
      'a share that was not used',
      {
        traces: [limitAlert({ used: '50.499999999999' })],
        found: [
          `cus_1 was told 50 percent of calls from ${periodStart}, but 50.499999999999 of 101 were used`,
        ],
      },
    ],
    [
      'a share that was told twice',
      {
        traces: [limitAlert(), limitAlert()],
        found: [`cus_1 was told 50 percent of calls from ${periodStart} twice`],
      },
    ],
    [
      'an amount that was not spent',
      {
        traces: [spendAlert({ spent: 49.99 })],
        found: [`sub_1 was told 50 eur from ${periodStart}, but 49.99 were spent`],
      },
    ],
    [
      'an amount that was told twice',
      { traces: [spendAlert(), spendAlert()], found: [`sub_1 was told 50 eur from ${periodStart} twice`] },
    ],
    [
      'what is remembered without an event',
      {
        traces: [limitAlert(), spendAlert()],
        limits: [limitRow(80)],
        subscriptions: [subscription('5000'), subscription('6000'), { id: 'sub_2', spendAlerted: null }],
        found: [
          `cus_1 has no event of 80 percent of calls from ${periodStart}`,
          `sub_1 has no event of 6000 from ${periodStart}`,
        ],
      },
    ],
  ])('finds %s', (_, { traces, limits = [], subscriptions = [], found }) => {
    const faults: string[] = [];
    const audit = createAlertAudit((fault) => faults.push(`${fault.subject} ${fault.found}`));
    for (const trace of traces) audit.follow(trace);
    audit.compareLimits(limits);
    audit.compareSpending(subscriptions);
    expect(faults).toEqual(found);
  });

  it('lets a share of a limit that no period resets be told again', () => {
    const faults: string[] = [];
    const audit = createAlertAudit((fault) => faults.push(`${fault.subject} ${fault.found}`));
    for (const percent of [50, 80, 50])
      audit.follow(limitAlert({ percent, used: '80.8', periodStart: null }));
    const row = { ...limitRow(80), periodStart: '1970-01-01T00:00:00.000Z' };
    audit.compareLimits([row, { ...row, percent: 0 }]);
    expect(faults).toEqual([]);
    audit.compareLimits([{ ...row, percent: 100 }]);
    expect(faults).toHaveLength(1);
  });

  it.each<[string, object, boolean, string[]]>([
    ['no alert', { alertBelowMinor: null, remainingMinor: 0n }, false, []],
    ['enough left', { remainingMinor: 5n }, false, []],
    ['little left that was told', { remainingMinor: 4n, alertedBelowAt: periodStart }, true, []],
    [
      'little left that was not told',
      { remainingMinor: 4n },
      false,
      ['has 4 left, and was not told to be below 5'],
    ],
    [
      'enough left that was told',
      { remainingMinor: 5n, alertedBelowAt: periodStart },
      true,
      ['has 5 left, and was told to be below 5'],
    ],
    [
      'little left that no event tells',
      { remainingMinor: 4n, alertedBelowAt: periodStart },
      false,
      ['has no event of less than 5'],
    ],
    ['what was voided', { remainingMinor: 0n, voidedAt: periodStart }, false, []],
    ['what has expired', { remainingMinor: 0n, expiresAt: periodStart }, false, []],
  ])('compares a grant with %s', (_, fields, isTold, found) => {
    const faults: string[] = [];
    const audit = createAlertAudit((fault) => faults.push(fault.found));
    if (isTold)
      audit.follow({
        payload: { action: 'credit_low', resourceId: 'cus_1', details: { creditId: 'crg_1' } },
      } as any);
    const grant = { id: 'crg_1', alertBelowMinor: 5n, alertedBelowAt: null, voidedAt: null, expiresAt: null };
    audit.compareGrants([{ ...grant, ...fields } as any], periodStart);
    expect(faults).toEqual(found);
  });
});
