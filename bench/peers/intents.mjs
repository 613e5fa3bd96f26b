// Writes an intent and its payment with SQL statements: the rows that the product has written for one intent.
import { alias, prepareTraceInsert, createId } from './store.mjs';

const confirmedTables = ['subscriptions', 'invoices', 'invoice_lines', 'payments', 'payment_methods'];
const prefixes = {
  subscriptions: 'sub',
  invoices: 'inv',
  invoice_lines: 'line',
  payments: 'pay',
  payment_methods: 'pm',
};

/** Uses the first paid intent of the file as the model. */
export function prepareIntentWrites({ writer, commit }) {
  const model = readModel(writer);
  const insertIntent = insertInto(writer, 'intents', model.intent);
  const confirm = writer.prepare(
    `UPDATE intents SET status = 'succeeded', attempts = ?, provider = ?, payment_method = ?, payment_started_at = ?,
       due_minor = ?, payment_reference = ?, subscription_id = ?, updated_at = ? WHERE tenant_alias = '${alias}' AND id = ?`,
  );
  const find = writer.prepare(
    `SELECT customer_id AS customerId, product_id AS productId, price_id AS priceId FROM intents
     WHERE tenant_alias = '${alias}' AND id = ?`,
  );
  const inserts = confirmedTables.map((table) => ({
    table,
    rows: model.rows[table],
    insert: model.rows[table].length ? insertInto(writer, table, model.rows[table][0]) : undefined,
  }));
  const insertTrace = prepareTraceInsert(writer);
  const trace = ({ activity_type: type, payload }, from, to) =>
    insertTrace(type, new Date().toISOString(), payload.replaceAll(from, to));

  const create = ({ customerId, productId, priceId }) => {
    const id = createId('int');
    const now = new Date().toISOString();
    insertIntent({
      ...model.intent,
      ...unpaid,
      id,
      customer_id: customerId,
      product_id: productId,
      price_id: priceId,
      created_at: now,
      updated_at: now,
    });
    trace(model.traces[0], model.intent.id, id);
    return { status: 'requires_payment_method', intentId: id };
  };

  const pay = (id) => {
    const { customerId, productId, priceId } = find.get(id);
    const now = new Date().toISOString();
    const ids = Object.fromEntries(confirmedTables.map((table) => [table, createId(prefixes[table])]));
    const { intent } = model;
    confirm.run(
      intent.attempts,
      intent.provider,
      intent.payment_method,
      now,
      intent.due_minor,
      intent.payment_reference,
      ids.subscriptions,
      now,
      id,
    );
    const links = {
      customer_id: customerId,
      product_id: productId,
      price_id: priceId,
      intent_id: id,
      payment_intent_id: id,
      subscription_id: ids.subscriptions,
      invoice_id: ids.invoices,
      payment_method_id: ids.payment_methods,
      number: ids.invoices,
      document_number: ids.invoices,
    };
    for (const { table, rows, insert } of inserts) {
      for (const [index, row] of rows.entries()) {
        const known = Object.entries(links).filter(([key]) => key in row && row[key] !== null);
        insert({
          ...row,
          ...Object.fromEntries(known),
          id: index === 0 ? ids[table] : createId(prefixes[table]),
        });
      }
    }
    for (const each of model.traces.slice(1)) trace(each, intent.id, id);
    return { id, status: 'succeeded', subscriptionId: ids.subscriptions };
  };

  return {
    createIntent: (input) => commit(() => create(input)),
    confirmIntent: (id) => commit(() => pay(id)),
  };
}

const unpaid = {
  status: 'requires_payment_method',
  attempts: 0,
  provider: null,
  payment_method: null,
  payment_started_at: null,
  due_minor: null,
  payment_reference: null,
  subscription_id: null,
};

function readModel(writer) {
  const intent = writer.prepare("SELECT * FROM intents WHERE status = 'succeeded' ORDER BY id LIMIT 1").get();
  if (!intent)
    return { intent: {}, rows: Object.fromEntries(confirmedTables.map((table) => [table, []])), traces: [] };
  const all = (text, ...values) => writer.prepare(text).all(...values);
  const selectOwn = (table) =>
    all(`SELECT * FROM ${table} WHERE tenant_alias = ? AND customer_id = ?`, alias, intent.customer_id);
  const rows = Object.fromEntries(confirmedTables.map((table) => [table, selectOwn(table)]));
  // The customer has no other records than this intent.
  const traces = all(
    `SELECT activity_type, payload FROM traces WHERE tenant_alias = ? AND instr(payload, ?) > 0
       AND activity_type <> 'CustomerEvent' ORDER BY event_id`,
    alias,
    intent.customer_id,
  );
  return { intent, rows, traces };
}

function insertInto(writer, table, model) {
  const columns = Object.keys(model);
  const statement = writer.prepare(
    `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map((name) => `@${name}`).join()})`,
  );
  return (row) => statement.run(row);
}
