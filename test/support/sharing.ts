import type { Backdoor } from './backdoor.ts';

/** Lets the database write down which connection (by its `application_name`) makes an invoice. */
export const watchBillers = (backdoor: Backdoor): Promise<void> =>
  backdoor.execute(`
    CREATE TABLE billers (name text, invoice text);
    CREATE FUNCTION note_biller() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO billers VALUES (current_setting('application_name'), NEW.id); RETURN NEW; END $$;
    CREATE TRIGGER note_biller AFTER INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION note_biller()`);

/** The result of billing: the number of invoices of each process, and all faults. */
export async function reckon(backdoor: Backdoor, subscriptions: number) {
  const one = async (query: string) => Number((await backdoor.all(query))[0]!['count']);
  const billers = await backdoor.all(
    'SELECT name, count(*)::int AS count FROM billers GROUP BY 1 ORDER BY 1',
  );
  const numbers = 'SELECT max(number) - count(*) AS count FROM invoices';
  const wrong = {
    missing: subscriptions - (await one("SELECT count(*) FROM invoices WHERE status = 'paid'")),
    billedTwice: await one(
      'SELECT count(*) FROM (SELECT 1 FROM invoices GROUP BY subscription_id, cycle_start HAVING count(*) > 1) t',
    ),
    chargedTwice: await one(
      `SELECT count(*) FROM (SELECT 1 FROM payments WHERE status = 'succeeded' GROUP BY invoice_id HAVING count(*) > 1) t`,
    ),
    unpaid: await one(
      `SELECT count(*) FROM invoices i WHERE NOT EXISTS
        (SELECT 1 FROM payments p WHERE p.invoice_id = i.id AND p.status = 'succeeded')`,
    ),
    gapsInNumbers: await one(numbers),
    stillHeld: await one('SELECT count(*) FROM subscriptions WHERE claimed_until IS NOT NULL'),
    notMovedOn: await one('SELECT count(*) FROM subscriptions WHERE billed_count <> 1 OR due_at < now()'),
  };
  return {
    billers: Object.fromEntries(billers.map(({ name, count }) => [String(name), Number(count)])),
    wrong: Object.fromEntries(Object.entries(wrong).filter(([, count]) => count !== 0)),
  };
}
