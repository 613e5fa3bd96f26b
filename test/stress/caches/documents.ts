/** Documents that select all that a frontend can keep of the schema's objects, written from the schema itself. */
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql';
import { schema } from '../../../src/app/schema.ts';
import { isOpenTo } from '../../../src/graphql/openness.ts';

/** The types whose objects the stores keep. */
export const keptTypes = [
  'Customer',
  'SubscriptionContract',
  'SubscriptionIntent',
  'SubscriptionItem',
  'Invoice',
  'InvoiceLine',
  'InvoiceItem',
  'Payment',
  'PaymentMethod',
  'CreditNote',
  'Credit',
  'Product',
  'Price',
  'Group',
  'Coupon',
  'PromotionCode',
  'Discount',
];

/** The lists of a page that shows all, each of its newest objects. */
export const lists = {
  customers: 'Customer',
  subscriptions: 'SubscriptionContract',
  intents: 'SubscriptionIntent',
  invoices: 'Invoice',
  payments: 'Payment',
  creditNotes: 'CreditNote',
  products: 'Product',
  coupons: 'Coupon',
  discounts: 'Discount',
  groups: 'Group',
  promotionCodes: 'PromotionCode',
  invoiceItems: 'InvoiceItem',
  disputes: 'Payment',
} as const;

export type ListName = keyof typeof lists;

/**
 * What no event can keep equal: what depends on the time of the request alone, addresses that are signed anew, and what is not
 * the object's own, such as its mails and its timeline.
 */
const leftOut = new Set([
  'SubscriptionContract.access',
  'Invoice.overdue',
  'Invoice.pdfUrl',
  'Invoice.hostedUrl',
  'Invoice.mails',
  'CreditNote.pdfUrl',
  'CreditNote.hostedUrl',
  'PaymentMethod.isExpired',
  'Customer.timeline',
  'Customer.retained',
  'Group.productsConnection',
  'Coupon.discounts',
]);

type Field = GraphQLField<unknown, unknown>;

const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType;
const isNode = (type: GraphQLObjectType) => type.getInterfaces().some(({ name }) => name === 'Node');
const returnedBy = (field: Field) => getNamedType(field.type);
const isList = (field: Field) => isListType(getNullableType(field.type));

/** The fields of a type that a reader may select without arguments. */
const listFields = (type: GraphQLObjectType, ofCustomer: boolean): Field[] =>
  Object.values(type.getFields()).filter(
    (field) =>
      !leftOut.has(`${type.name}.${field.name}`) &&
      !field.args.some(isRequiredArgument) &&
      (!ofCustomer || isOpenTo(field, 'customer')),
  );

/** Selects an object without its lists, and of the objects beside it their ids. */
function selectOwn(type: GraphQLObjectType, ofCustomer: boolean): string {
  const selected = listFields(type, ofCustomer).map((field) => {
    const returned = returnedBy(field);
    if (!isCompositeType(returned)) return field.name;
    if (!isObjectType(returned) || returned.name.endsWith('Connection')) return '';
    if (!isNode(returned)) return `${field.name} ${selectOwn(returned, ofCustomer)}`;
    return isList(field) ? '' : `${field.name} { __typename id }`;
  });
  return `{ __typename ${selected.filter(Boolean).join(' ')} }`;
}

/**
 * Selects an object with its lists, and the objects beside it: by their ids alone, or, if `wide`, as this one. A mutation and an
 * event select the neighbours too, whose figures may have changed with it.
 */
function selectWhole(type: GraphQLObjectType, wide: boolean, ofCustomer = false): string {
  const selected = listFields(type, ofCustomer).flatMap((field) => {
    const returned = returnedBy(field);
    if (!isObjectType(returned)) return [];
    if (returned.name.endsWith('Connection')) {
      const node = returnedBy(
        (returnedBy(returned.getFields()['edges']!) as GraphQLObjectType).getFields()['node']!,
      );
      const nodes = selectOwn(node as GraphQLObjectType, ofCustomer);
      return [`${field.name}(first: 5, order: DESC) { __typename nodes ${nodes} }`];
    }
    if (!isNode(returned)) return [];
    if (isList(field)) return [`${field.name} ${selectOwn(returned, ofCustomer)}`];
    return wide ? [`${field.name} ${selectWhole(returned, false, ofCustomer)}`] : [];
  });
  return `{ ${selectOwn(type, ofCustomer).slice(1, -1)} ${selected.join(' ')} }`;
}

/** Reads an object of a type by its id. */
export const nodeDocument = (type: string): string =>
  (nodeDocuments[type] ??=
    `query ($id: ID!) { node(id: $id) { __typename ... on ${type} ${selectWhole(typeOf(type), true)} } }`);

const nodeDocuments: Record<string, string> = {};

/** Reads the newest objects of a list. */
export const listDocument = (name: ListName): string =>
  `{ ${name}(first: 10, order: DESC) { __typename nodes ${selectOwn(typeOf(lists[name]), false)} } }`;

/** Performs a mutation with the arguments of the schema, and selects all that it returns. */
export function mutationDocument(name: string): string {
  const field = schema.getMutationType()!.getFields()[name]!;
  const declared = field.args.map((arg) => `$${arg.name}: ${String(arg.type)}`);
  const given = field.args.map((arg) => `${arg.name}: $${arg.name}`);
  const returned = returnedBy(field) as GraphQLObjectType;
  const selection = keptTypes.includes(returned.name)
    ? selectWhole(returned, true)
    : '{ __typename alias clock }';
  return `mutation (${declared.join(' ')}) { ${name}(${given.join(' ')}) ${selection} }`;
}

/** Follows the events of the tenant with the frozen objects in them, which share no id with the objects that changed. */
export const traceDocument = `subscription {
  traceRecorded { __typename id activityType executorId payload event { __typename resourceId
    customer ${selectOwn(typeOf('CustomerSnapshot'), false)} subscription ${selectOwn(typeOf('SubscriptionSnapshot'), false)}
    invoice ${selectOwn(typeOf('InvoiceSnapshot'), false)} product ${selectOwn(typeOf('ProductSnapshot'), false)}
  } }
}`;

const viewed = () => `{ __typename customer ${selectWhole(typeOf('Customer'), true, true)} }`;

/** Reads the customer of a session. */
export const viewerDocument = `{ viewer ${viewed()} }`;

/** Follows the customer of a session. */
export const viewerChangedDocument = `subscription { viewerChanged { __typename kind objectId viewer ${viewed()}
  subscription ${selectWhole(typeOf('SubscriptionContract'), true, true)}
  invoice ${selectWhole(typeOf('Invoice'), true, true)}
  paymentMethod ${selectWhole(typeOf('PaymentMethod'), true, true)}
} }`;

/** The types without an id, whose objects belong to the object that holds them. */
export const keylessTypes = (): string[] =>
  Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !('id' in type.getFields()))
    .map(({ name }) => name);
