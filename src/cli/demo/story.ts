import type { Service } from '../../tenancy/service.ts';
import { findTenant } from '../../tenancy/tenants.ts';
import { openScheduledTenant } from '../../tenancy/openTenant.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { BillingError } from '../../lib/errors.ts';
import { toInstant } from '../../lib/time.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { Catalog } from './catalog.ts';
import { dayMs } from '../../lib/durations.ts';

/** A clock that the history moves. */
export interface MovedClock extends Clock {
  set(ms: number): void;
}

/** Creates a clock that shows `ms` until it is set. */
export function createMovedClock(ms: number): MovedClock {
  let nowMs = ms;
  return {
    nowMs: () => nowMs,
    set: (to) => {
      nowMs = to;
    },
  };
}

/** Somebody does something: a customer at the checkout, or an operator. */
export type Act = (story: Story, tenant: TenantScope) => Promise<unknown>;

interface Planned {
  atMs: number;
  act: Act;
}

/** A tenant whose history is being made: its clock, its catalogue, and the acts still to come. */
export interface Story {
  random: Random;
  clock: MovedClock;
  catalog: Catalog;
  /** The instant at which the history ends. */
  endMs: number;
  /** The number of customers so far. */
  customers: number;
  /** Plans an act `days` from now; one after the end does not take place. */
  plan(days: number, act: Act): void;
  /** Plans an act for an instant. */
  planAt(atMs: number, act: Act): void;
  /** Performs the planned acts in order. Calls `onDay` with the number of days that have passed. */
  run(onDay: (day: number) => void): Promise<void>;
  /** Opens the tenant as it is now. */
  open(): Promise<TenantScope>;
}

/** Begins the history of a tenant. */
export function beginStory(
  service: Service,
  alias: string,
  parts: Pick<Story, 'random' | 'clock' | 'endMs'>,
): Story {
  const planned: Planned[] = [];
  const { clock, endMs } = parts;
  const open = async () =>
    openScheduledTenant(service, (await findTenant(service, alias))!, 'system:operator');
  const planAt = (atMs: number, act: Act) => {
    if (atMs >= endMs) return;
    // Acts of one instant keep their order.
    let place = planned.length;
    while (place > 0 && planned[place - 1]!.atMs <= atMs) place--;
    planned.splice(place, 0, { atMs, act });
  };
  const story: Story = {
    ...parts,
    catalog: {},
    customers: 0,
    planAt,
    plan: (days, act) => planAt(clock.nowMs() + Math.round(days * dayMs), act),
    open,
    run: async (onDay) => {
      const beginMs = clock.nowMs();
      for (let next = planned.pop(); next; next = planned.pop()) {
        clock.set(Math.max(next.atMs, clock.nowMs()));
        await perform(story, next.act, await open());
        onDay(Math.floor((clock.nowMs() - beginMs) / dayMs));
      }
      clock.set(endMs);
    },
  };
  return story;
}

/** Performs an act. A refusal is a valid outcome: a card is declined, or a subscription has ended meanwhile. */
async function perform(story: Story, act: Act, tenant: TenantScope): Promise<void> {
  try {
    await act(story, tenant);
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
  }
}

/** The story's time. */
export const getNow = ({ clock }: Story): string => toInstant(clock.nowMs());
