/** What the worker has: settings, and a store of keys and values. */
export interface Bindings {
  BILLING_URL: string;
  API_KEY: string;
  WORKER_URL: string;
  WEBHOOK_SECRET: string;
  STORE: KVNamespace;
}

/** What is kept of a customer, under the hash of their key. */
export interface Account {
  customerId: string;
}

const longestSeconds = 30 * 86_400;

/** Only a hash of a key is kept. */
async function hash(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const findAccount = async (store: KVNamespace, key: string) =>
  store.get<Account>(`key:${await hash(key)}`, 'json');

export const addAccount = async (store: KVNamespace, key: string, account: Account) =>
  store.put(`key:${await hash(key)}`, JSON.stringify(account));

/** Keeps whether a customer has a plan, as an event tells it. */
export const keepPlan = (store: KVNamespace, customerId: string, name: string | null) =>
  name === null ? store.delete(`plan:${customerId}`) : store.put(`plan:${customerId}`, name);

export const findPlan = (store: KVNamespace, customerId: string) => store.get(`plan:${customerId}`);

/** The ids of the events that were handled. */
export const handledEvents = (store: KVNamespace) => ({
  has: async (id: string) => (await store.get(`event:${id}`)) !== null,
  add: (id: string) => store.put(`event:${id}`, '', { expirationTtl: longestSeconds }),
});
