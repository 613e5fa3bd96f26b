import { GraphQLEnumType, GraphQLSchema, type GraphQLObjectType } from 'graphql';
import { buildSchema } from '../graphql/buildSchema.ts';
import { findSource, rebuildTypes } from '../graphql/derivedTypes.ts';
import { addSubgraphFields } from '../graphql/subgraph.ts';
import { askForOperation } from '../access/approvals/askFor.graphql.ts';
import './resolvers.ts';

/** The GraphQL schema of the service: all resolvers that `resolvers.ts` has loaded. */
export const schema = buildSchema(askForOperation);

/** The schema that is executed: with the fields by which a gateway of Apollo Federation reads it. */
export const executedSchema = addSubgraphFields(schema);

/** Creates the schema of webhook payload queries that were stored for a shape of events, whose root is one event. */
export function createEventSchema(shape: number | null): GraphQLSchema {
  const event = schema.getType('Event') as GraphQLObjectType;
  return new GraphQLSchema({ query: shape === null ? rebuildEarlier(event) : event });
}

/**
 * Rebuilds the events of release 0.9 and before: their records have the types of the API, with `id`, and the kinds of lines
 * are in upper case.
 */
function rebuildEarlier(event: GraphQLObjectType): GraphQLObjectType {
  const { values, ...kind } = (schema.getType('InvoiceLineKind') as GraphQLEnumType).toConfig();
  const upper = Object.entries(values).map(([name, value]) => [name.toUpperCase(), value]);
  const earlierKind = new GraphQLEnumType({ ...kind, values: Object.fromEntries(upper) });
  return rebuildTypes(event, (type) => (type.name === kind.name ? earlierKind : (findSource(type) ?? type)));
}
