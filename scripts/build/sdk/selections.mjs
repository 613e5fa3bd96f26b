// Chooses what a method returns of each type: all of its own fields and small nested values.
import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
  isRequiredArgument,
} from 'graphql';

/** Records that are returned whole within another one, although they can be read by themselves. */
const expanded = new Set(['CreatedWebhookSecret.endpoint', 'Product.prices']);

/** What is left out: large, the same as what contains it, or a list of each item of a list. */
const omitted = new Set([
  'Event.trace',
  'InvoiceLine.creditGrants',
  'InvoiceLine.discounts',
  'InvoiceLine.tiers',
  'MailDelivery.message',
  'Trace.event',
]);

/** Scalar fields that cost the server one unit of a cost, and the length by which it counts a list (docs/limits.md). */
const [scalarsOfUnit, usualLength] = [20, 10];
/** What a page may cost, so that browsers can read it too; and the bounds of its size. */
const [costOfPage, smallestPage, largestPage] = [4000, 5, 100];

/**
 * Returns a function that lists the fields of a type that are selected by default, each with the kind of its selection: a
 * `leaf`, a `reference` (its id alone), or the `whole` type. Left out are pages, what needs arguments, and lists of records
 * that have operations of their own.
 */
export function createSelections(schema) {
  const retrievable = new Set(
    Object.values(schema.getQueryType().getFields())
      .filter(({ type }) => !isListType(getNullableType(type)))
      .map(({ type }) => getNamedType(type))
      .filter((type) => !type.name.endsWith('Connection')),
  );
  const isRecord = (type) => retrievable.has(type);

  const choose = (owner, field) => {
    const place = `${owner.name}.${field.name}`;
    const type = getNamedType(field.type);
    if (omitted.has(place) || field.deprecationReason) return undefined;
    if (expanded.has(place)) return 'whole';
    if (field.args.some(isRequiredArgument) || (isLeafType(type) && field.args.length > 0)) return undefined;
    if (isLeafType(type)) return 'leaf';
    if (type.name.endsWith('Connection') || isAbstractType(type)) return undefined;
    if (!isRecord(type)) return 'whole';
    if (isListType(getNullableType(field.type)) || !type.getFields().id) return undefined;
    return owner.getFields()[`${field.name}Id`] ? undefined : 'reference';
  };

  const cache = new Map();
  return (type) => {
    if (!cache.has(type)) {
      const fields = isAbstractType(type) ? [] : Object.values(type.getFields());
      const chosen = fields.map((field) => ({ field, kind: choose(type, field) }));
      cache.set(
        type,
        chosen.filter(({ kind }) => kind),
      );
    }
    return cache.get(type);
  };
}

/** Writes the selection of a type as a fragment's text; nested types are spread, so no text is there twice. */
export function writeSelection(type, select) {
  if (isAbstractType(type)) return '__typename id';
  return select(type)
    .map(({ field, kind }) => {
      if (kind === 'leaf') return field.name;
      return `${field.name}{${kind === 'reference' ? 'id' : `...${getNamedType(field.type).name}`}}`;
    })
    .join(' ');
}

/** Lists a type and all that its selection contains. Throws if a type contains itself. */
export function listSelected(type, select, path = []) {
  if (path.includes(type))
    throw new Error(`The selection of ${type.name} contains itself: ${path.join(' > ')}`);
  if (!isCompositeType(type)) return [];
  const nested = select(type).filter(({ kind }) => kind === 'whole');
  return [
    type,
    ...nested.flatMap(({ field }) => listSelected(getNamedType(field.type), select, [...path, type])),
  ];
}

/** Returns how many items a page of a list has at most, so that its cost stays well below the limit. */
export function choosePageSize(type, select) {
  const size = Math.floor(costOfPage / estimateCost(type, select));
  return Math.min(largestPage, Math.max(smallestPage, size));
}

function estimateCost(type, select) {
  const fields = select(type);
  const leaves = fields.filter(({ kind }) => kind === 'leaf').length;
  return fields.reduce(
    (cost, { field, kind }) => {
      if (kind === 'leaf') return cost;
      const length = isListType(getNullableType(field.type)) ? usualLength : 1;
      return cost + length * (kind === 'reference' ? 1 : estimateCost(getNamedType(field.type), select));
    },
    Math.max(1, Math.ceil(leaves / scalarsOfUnit)),
  );
}
