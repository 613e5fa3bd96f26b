/**
 * Random changes of a shop, made through two stores that follow its events, and of customers whose pages follow theirs. What a
 * store keeps must equal a fresh read: at intervals, and at the end.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { randomFrom, type Random } from '../../../src/lib/random.ts';
import { makeChange } from './changes.ts';
import {
  keptTypes,
  listDocument,
  lists,
  mutationDocument,
  nodeDocument,
  traceDocument,
  viewerChangedDocument,
  viewerDocument,
  type ListName,
} from './documents.ts';
import { collectObjects, findDifference, listConcerned, plain } from './objects.ts';
import { openApollo, openGraphcache, type Credential, type Store } from './stores.ts';

export interface ReplayOptions {
  url: string;
  /** A secret key of a test tenant with a clock of its own, whose portal lets customers see all. */
  apiKey: string;
  seed: number;
  changes: number;
  /** The number of changes between comparisons with a fresh read. */
  checkEvery: number;
  say?: (line: string) => void;
}

/** What a replay did, and what it found wrong, which should be nothing. */
export interface ReplayFigures {
  changed: number;
  refused: number;
  events: number;
  comparisons: number;
  /** Differences between a store and a fresh read, each with its path. */
  differences: string[];
  /** Objects that a fifth of the mutations changed and did not return, by mutation and type. */
  unreturned: Record<string, number>;
  complaints: string[];
  /** How often each reason refused a change. */
  reasons: Record<string, number>;
}

/** A store of the shop's owner, and what its pages show. */
interface Page {
  store: Store;
  /** The ids of the objects that it has read. */
  shown: Map<string, string>;
  /** The ids of the events that it has received. */
  seen: Set<string>;
  /** The objects that have changed, and that it has not read again. */
  arrived: string[];
}

/** A store of a customer's page. */
interface Viewer {
  store: Store;
  customerId: string;
  credential: Credential;
}

const recentObjects = 40;
const viewers = 3;
const comparedAtOnce = 150;
const patienceMs = 20_000;
/** The clients run beside the server: compressing its responses would take a sixth of the time. */
const uncompressed = { 'accept-encoding': 'identity' };

const isKept = (type: string) => keptTypes.includes(type);

/** Replays random changes, and compares the stores with fresh reads. */
export async function replayChanges(options: ReplayOptions): Promise<ReplayFigures> {
  const replay = new Replay(options);
  try {
    return await replay.run();
  } finally {
    await replay.close();
  }
}

class Replay {
  private readonly random: Random;
  private readonly figures: ReplayFigures = {
    changed: 0,
    refused: 0,
    events: 0,
    comparisons: 0,
    differences: [],
    unreturned: {},
    complaints: [],
    reasons: {},
  };
  private readonly pages: Page[];
  private readonly customers: Viewer[] = [];
  /** The newest objects of each type as they were read last. */
  private readonly recent = new Map<string, Map<string, any>>();
  private readonly typeByPrefix = new Map<string, string>();
  /** The lists that have another object, or one less, since they were read. */
  private readonly changedLists = new Set<ListName>();
  /** The product of each price that a page shows: a deleted product takes its prices with it. */
  private readonly productByPrice = new Map<string, string>();
  /** The customer of each record that a page shows: the erasure of a customer empties the records of that customer. */
  private readonly customerByRecord = new Map<string, string>();
  /** Customers whose sessions have ended with them. */
  private readonly lostCustomers = new Set<string>();
  /** The types of the objects in the responses of a comparison, by id. */
  private readonly met = new Map<string, string>();
  private nowMs = 0;

  constructor(private readonly options: ReplayOptions) {
    this.random = randomFrom(options.seed);
    const credential = { 'api-key': options.apiKey, ...uncompressed };
    this.pages = [openGraphcache, openApollo].map((open) => ({
      store: open(options.url, credential),
      shown: new Map(),
      seen: new Set(),
      arrived: [],
    }));
  }

  async run(): Promise<ReplayFigures> {
    const { changes, checkEvery, say } = this.options;
    await this.readClock();
    await this.followAll();
    while (this.figures.changed < changes) {
      const before = this.figures.changed;
      await this.changeOnce();
      const { changed } = this.figures;
      if (this.listViewers().length < viewers * 2 && changed % 40 === 39) await this.openViewers();
      if (changed > before && changed % 500 === 0) say?.(`${changed} changes …`);
      if (this.random.chance(0.1)) await this.readList(this.random.pick(Object.keys(lists) as ListName[]));
      if (changed === before || changed % checkEvery !== 0 || changed === changes) continue;
      await this.compare(comparedAtOnce);
      say?.(
        `${changed} changes, ${this.figures.events} events, ${this.figures.differences.length} differences`,
      );
      if (this.figures.differences.length > 50) break;
    }
    await this.compare(Infinity);
    return { ...this.figures, complaints: this.listComplaints() };
  }

  async close(): Promise<void> {
    for (const { store } of [...this.pages, ...this.customers]) await store.close();
  }

  /** Follows the events in both stores; resolves when both receive them. */
  private async followAll(): Promise<void> {
    for (const { store, seen, arrived } of this.pages) {
      store.follow(traceDocument, ({ traceRecorded: { id, payload } }) => {
        seen.add(id);
        arrived.push(...listConcerned(payload));
        if (payload.action === 'erased') arrived.push(...this.listRecords(payload.resourceId));
        if (payload.action === 'erased' || payload.action === 'deleted')
          this.lostCustomers.add(payload.resourceId);
      });
    }
    const untilMs = performance.now() + patienceMs;
    while (this.pages.some(({ seen }) => seen.size === 0)) {
      await this.ask('mutation { createGroup(input: { name: "Group" }) { id } }');
      await pause(50);
      if (performance.now() > untilMs)
        throw new Error(`No event has arrived: ${this.listComplaints().join('\n')}`);
    }
    await this.receiveEvents();
  }

  /** Lists the pages of the customers whose sessions have not ended, two for each. */
  private listViewers = (): Viewer[] =>
    this.customers.filter(({ customerId }) => !this.lostCustomers.has(customerId));

  private listRecords(customerId: string): string[] {
    return [...this.customerByRecord.keys()].filter((id) => this.customerByRecord.get(id) === customerId);
  }

  private listComplaints(): string[] {
    return [...this.pages, ...this.listViewers()].flatMap(({ store }) => store.complaints);
  }

  /** Makes a change through one of the stores; both read again what the events name. */
  private async changeOnce(): Promise<void> {
    const page = this.random.pick(this.pages);
    const { mutation, variables } = makeChange({
      random: this.random,
      nowMs: this.nowMs,
      pick: (type) => {
        const objects = [...(this.recent.get(type)?.values() ?? [])];
        return objects.length > 0 ? this.random.pick(objects) : undefined;
      },
    });
    const { data, reason, issues } = await page.store.change(mutationDocument(mutation), variables);
    if (reason) {
      this.figures.refused += 1;
      const name = `${mutation} ${reason}${reason === 'validation_failed' ? ` ${JSON.stringify((issues as any).issues[0])}` : ''}`;
      this.figures.reasons[name] = (this.figures.reasons[name] ?? 0) + 1;
      if (!/^[a-z_]+$/.test(reason) || reason === 'internal_error')
        throw new Error(`${mutation} ${JSON.stringify(variables)}: ${reason} ${JSON.stringify(issues)}`);
    } else {
      this.figures.changed += 1;
    }
    if (data?.advanceClock) await this.readClock();
    await this.receiveEvents();
    const ids = this.takeArrived();
    if (!reason && this.figures.changed % 5 === 0) await this.checkReturned(page, mutation, ids);
    for (const id of ids) await this.show(id);
  }

  /** Takes the ids that have arrived since the last call. */
  private takeArrived(): string[] {
    const ids = new Set<string>();
    for (const { arrived } of this.pages) {
      this.figures.events += arrived.length;
      for (const id of arrived.splice(0)) ids.add(id);
    }
    return [...ids];
  }

  /** Waits for the events of all changes so far. */
  private async receiveEvents(): Promise<void> {
    const { traces } = await this.ask('{ traces(first: 1, order: DESC) { nodes { id } } }');
    const newest = traces.nodes[0]?.id as string | undefined;
    const isMissing = () => newest !== undefined && this.pages.some(({ seen }) => !seen.has(newest));
    const untilMs = performance.now() + patienceMs;
    while (isMissing()) {
      if (performance.now() > untilMs)
        throw new Error(`An event has not arrived: ${newest} ${this.listComplaints().join('\n')}`);
      await pause(2);
    }
  }

  /** Counts the objects that a store shows, that its mutation has changed, and that its result has not brought: a fifth of them. */
  private async checkReturned(page: Page, mutation: string, ids: string[]): Promise<void> {
    for (const id of ids) {
      const type = page.shown.get(id);
      if (!type) continue;
      const kept = plain(await page.store.show(nodeDocument(type), { id }));
      const fresh = await this.ask(nodeDocument(type), { id });
      const difference = findDifference(kept?.node ?? null, fresh.node);
      if (!difference) continue;
      const name = `${mutation} ${type}`;
      if (!this.figures.unreturned[name]) this.options.say?.(`${page.store.name}: ${name}${difference}`);
      this.figures.unreturned[name] = (this.figures.unreturned[name] ?? 0) + 1;
    }
  }

  /** Reads an object that has changed, in both stores. */
  private async show(id: string): Promise<void> {
    const type = await this.findType(id);
    if (!type || !isKept(type)) return;
    let node: any;
    for (const { store, shown } of this.pages) {
      ({ node } = await store.read(nodeDocument(type), { id }));
      if (!shown.has(id) || !node || node.deleted)
        for (const name of Object.keys(lists) as ListName[])
          if (lists[name] === type) this.changedLists.add(name);
      shown.set(id, type);
    }
    const objects = this.recent.get(type) ?? new Map();
    this.recent.set(type, objects);
    objects.delete(id);
    if (!node || node.deleted) {
      // Listed first: a price that stays is entered again, and a loop over the map would meet it for ever.
      const prices = [...this.productByPrice].flatMap(([price, product]) => (product === id ? [price] : []));
      for (const price of prices) this.productByPrice.delete(price);
      for (const price of prices) await this.show(price);
      return;
    }
    if (type === 'Price') this.productByPrice.set(id, node.productId);
    if (node.customerId) this.customerByRecord.set(id, node.customerId);
    objects.set(id, node);
    if (objects.size > recentObjects) objects.delete(objects.keys().next().value);
  }

  private async findType(id: string): Promise<string | undefined> {
    const [prefix] = id.split('_') as [string];
    const known = this.typeByPrefix.get(prefix);
    if (known) return known;
    const { node } = await this.ask('query ($id: ID!) { node(id: $id) { __typename } }', { id });
    if (node) this.typeByPrefix.set(prefix, node.__typename);
    return node?.__typename;
  }

  private async readList(name: ListName): Promise<void> {
    for (const { store } of this.pages) await store.read(listDocument(name));
  }

  private async readClock(): Promise<void> {
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      const { tenant } = await this.ask('{ tenant { clock clockAdvance { __typename } } }');
      this.nowMs = Date.parse(tenant.clock);
      if (!tenant.clockAdvance) return;
      if (performance.now() > untilMs) throw new Error('The clock does not arrive.');
      await pause(5);
    }
  }

  /** Opens a page of a customer in both stores, each with a session of its own. */
  private async openViewers(): Promise<void> {
    const { id } = this.random.pick([...(this.recent.get('Customer')?.values() ?? [])]);
    if (this.lostCustomers.has(id)) return;
    for (const open of [openGraphcache, openApollo]) {
      const { createCustomerSession } = await this.ask(
        'mutation ($id: ID!) { createCustomerSession(input: { customerId: $id, expiresInSeconds: 86400 }) { token } }',
        { id },
      );
      const credential = { authorization: `Bearer ${createCustomerSession.token}`, ...uncompressed };
      const store = open(this.options.url, credential);
      store.follow(viewerChangedDocument, () => {});
      await store.read(viewerDocument);
      this.customers.push({ store, credential, customerId: id });
    }
  }

  /** Compares the objects of all pages with fresh reads, at most `most` of each page. */
  private async compare(most: number): Promise<void> {
    for (const { store, shown } of this.pages) {
      const ids = [...shown.keys()];
      const chosen = most >= ids.length ? ids : Array.from({ length: most }, () => this.random.pick(ids));
      for (const id of chosen) {
        const type = shown.get(id)!;
        await this.compareOnce(store, nodeDocument(type), { id }, `${type} ${id}`);
      }
    }
    for (const name of Object.keys(lists) as ListName[]) {
      if (this.changedLists.has(name)) await this.readList(name);
      for (const { store } of this.pages) await this.compareOnce(store, listDocument(name), {}, name);
    }
    this.changedLists.clear();
    await this.findAllMet();
    for (const viewer of this.listViewers()) await this.compareViewer(viewer);
  }

  /** Finds the objects of all responses by their ids: a store reads an object again that it has lost. */
  private async findAllMet(): Promise<void> {
    const all = [...this.met];
    for (let from = 0; from < all.length; from += 100) {
      const part = all.slice(from, from + 100);
      const ids = part.map(([id]) => id);
      const { nodes } = await this.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', {
        ids,
      });
      for (const [nth, [id, type]] of part.entries())
        if (nodes[nth]?.__typename !== type)
          this.note(`node: ${type} ${id} is ${JSON.stringify(nodes[nth])}`);
    }
    this.met.clear();
  }

  private async compareOnce(store: Store, document: string, variables: object, what: string) {
    this.figures.comparisons += 1;
    const kept = plain(await store.show(document, variables as Record<string, unknown>));
    const fresh = await this.ask(document, variables);
    collectObjects(fresh, this.met);
    const difference = findDifference(kept, fresh);
    if (difference) this.note(`${store.name}: ${what}${difference}`);
  }

  /** A page gets events by and by: what it keeps must become equal. */
  private async compareViewer({ store, credential }: Viewer): Promise<void> {
    this.figures.comparisons += 1;
    const untilMs = performance.now() + patienceMs / 10;
    for (;;) {
      const fresh = await this.ask(viewerDocument, {}, credential);
      const difference = findDifference(plain(await store.show(viewerDocument)), fresh);
      if (!difference) return;
      if (performance.now() > untilMs) {
        return this.note(`${store.name}: viewer${difference}`);
      }
      await pause(250);
    }
  }

  private note(difference: string): void {
    this.figures.differences.push(difference);
    this.options.say?.(difference);
  }

  /** Reads from the server without a store. */
  private async ask(
    query: string,
    variables: object = {},
    credential: Credential = { 'api-key': this.options.apiKey },
  ): Promise<any> {
    const response = await fetch(`${this.options.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...uncompressed, ...credential },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as any;
    if (errors) throw new Error(`${query.slice(0, 200)}: ${JSON.stringify(errors).slice(0, 500)}`);
    return data;
  }
}
