/** Accepts lookup keys wherever ids are given, in one place: resolvers and rules receive ids only. */
import {
  defaultFieldResolver,
  getNamedType,
  GraphQLID,
  isInputObjectType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { divideIntoChunks } from '../lib/chunks.ts';
import { hasIdForm, lookupKeyForm } from '../lib/ids.ts';
import type { Row, TenantTable } from '../storage/model/rowTypes.ts';
import type { Reads } from '../storage/store.ts';
import type { Context } from './context.ts';

type Resolve = NonNullable<GraphQLField<unknown, Context>['resolve']>;

/** Where the records of a type are found by a key. */
interface KeyedType {
  table: TenantTable;
  column: string;
}

const extensionName = 'keyedBy';

/** Declares, as an extension of an object type, that a column of its table is accepted as an id of its records. */
export const keyedBy = <Name extends TenantTable>(table: Name, column: keyof Row<Name> & string) => ({
  [extensionName]: { table, column },
});

/** An argument or a field of an input that is an id, or contains some. */
interface Slot {
  name: string;
  /** Given for an id, or a list of ids. */
  type?: KeyedType;
  /** Given for an input, or a list of inputs. */
  slots?: Slot[];
}

const mostKeysOfQuery = 256;

/** Makes every field with arguments accept keys instead of ids. */
export function acceptLookupKeys(schema: GraphQLSchema): void {
  for (const [field, slots] of listKeyedFields(schema)) {
    if (field.subscribe) field.subscribe = acceptKeys(field.subscribe, slots, false);
    else {
      const isChange = schema.getMutationType()?.getFields()[field.name] === field;
      field.resolve = acceptKeys(field.resolve ?? defaultFieldResolver, slots, isChange);
    }
  }
}

/** Returns the fields that take ids of keyed types, with the places of these ids. */
export function listKeyedFields(schema: GraphQLSchema): Map<GraphQLField<unknown, Context>, Slot[]> {
  const found = new Map<GraphQLField<unknown, Context>, Slot[]>();
  const types = Object.values(schema.getTypeMap());
  const keyed = new Map(types.flatMap((type) => findKeyed(type).map((each) => [type.name, each] as const)));
  const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);
  for (const type of types) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const own = roots.has(type) ? findTypeOfOperation(field.name, keyed) : undefined;
      const slots = listSlots(field.args, keyed, []).concat(
        own && field.args.some(({ name }) => name === 'id') ? [{ name: 'id', type: own }] : [],
      );
      if (slots.length > 0) found.set(field, slots);
    }
  }
  return found;
}

type Keyed = ReadonlyMap<string, KeyedType>;

const findKeyed = ({ extensions }: GraphQLNamedType): KeyedType[] =>
  extensions[extensionName] ? [extensions[extensionName] as KeyedType] : [];

/** The `id` of `product`, `updateProduct` and `archivePrice` is that of the type by which the operation ends. */
function findTypeOfOperation(operation: string, keyed: Keyed): KeyedType | undefined {
  const noun = /^[a-z]+([A-Z][a-z]+)$/.exec(operation)?.[1] ?? operation;
  return keyed.get(capitalize(noun));
}

/** `productId` is an id of a `Product`, `productIds` are several, `retentionCouponId` is one of a `Coupon`. */
function findTypeOfArgument(name: string, keyed: Keyed): KeyedType | undefined {
  const noun = /(^[a-z]+|[A-Z][a-z]+)Ids?$/.exec(name)?.[1] ?? '';
  return keyed.get(capitalize(noun));
}

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function listSlots(
  args: readonly { name: string; type: GraphQLInputType }[],
  keyed: Keyed,
  within: GraphQLInputType[],
): Slot[] {
  return args.flatMap(({ name, type: wrapped }): Slot[] => {
    const type = getNamedType(wrapped);
    if (type === GraphQLID) {
      const keyedType = findTypeOfArgument(name, keyed);
      return keyedType ? [{ name, type: keyedType }] : [];
    }
    if (!isInputObjectType(type) || within.includes(type)) return [];
    const slots = listSlots(Object.values(type.getFields()), keyed, [...within, type]);
    return slots.length > 0 ? [{ name, slots }] : [];
  });
}

function acceptKeys(resolve: Resolve, slots: Slot[], isChange: boolean): Resolve {
  return (parent, args, context, info) => {
    const keys: GivenKey[] = [];
    collectKeys(slots, args, keys);
    // Without a tenant the operation is refused below.
    if (keys.length === 0 || !context.hasTenant) return resolve(parent, args, context, info);
    const { tenant } = context;
    const reads = isChange ? tenant.primaryReads : tenant.read;
    return findIds(reads, keys).then((ids) => resolve(parent, replaceKeys(slots, args, ids), context, info));
  };
}

interface GivenKey {
  type: KeyedType;
  key: string;
}

type Values = Record<string, unknown>;

/** Lists the texts that are not ids. Ids cost a comparison each, and no query. */
function collectKeys(slots: readonly Slot[], values: Values, keys: GivenKey[]): void {
  for (const { name, type, slots: inner } of slots) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      if (inner) collectKeys(inner, each as Values, keys);
      else if (type && !hasIdForm(each as string) && lookupKeyForm.test(each as string))
        keys.push({ type, key: each as string });
    }
  }
}

const nameKey = ({ table }: KeyedType, key: string) => `${table} ${key}`;

/** Reads the ids of the records that have the keys, with a query for each table. */
async function findIds(reads: Reads, keys: readonly GivenKey[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const type of new Set(keys.map((each) => each.type))) {
    const own = [...new Set(keys.filter((each) => each.type === type).map(({ key }) => key))];
    for (const chunk of divideIntoChunks(own, mostKeysOfQuery)) {
      for (const row of (await reads.many(type.table, {
        where: { [type.column]: chunk },
      })) as unknown as Values[])
        ids.set(nameKey(type, row[type.column] as string), row['id'] as string);
    }
  }
  return ids;
}

/** Returns the arguments with ids instead of the keys that were found. The operation refuses the others as unknown ids. */
function replaceKeys(slots: readonly Slot[], values: Values, ids: ReadonlyMap<string, string>): Values {
  const replaced = { ...values };
  for (const { name, type, slots: inner } of slots) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    const replace = (each: unknown) =>
      inner ? replaceKeys(inner, each as Values, ids) : (ids.get(nameKey(type!, each as string)) ?? each);
    replaced[name] = Array.isArray(value) ? value.map(replace) : replace(value);
  }
  return replaced;
}
