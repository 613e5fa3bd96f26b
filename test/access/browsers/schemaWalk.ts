/** Documents that select each field of the schema, by the shortest way from a root. */
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { getDeclaration } from '../../../src/graphql/operations.ts';
import { isOpenTo } from '../../../src/graphql/openness.ts';
import type { Audience } from '../../../src/tenancy/apiKeyCache.ts';

export interface WalkedField {
  /** `Type.field`. */
  name: string;
  /** All fields of its document. */
  way: string[];
  kind: 'query' | 'mutation' | 'subscription';
  document: string;
}

interface Way {
  kind: WalkedField['kind'];
  names: string[];
  /** Wraps a selection in the fields that lead to it. */
  wrap: (selection: string) => string;
}

/** Walks all fields of all object types that a root leads to; ways through open fields come first. */
export function walkSchema(schema: GraphQLSchema, audience: Audience): WalkedField[] {
  const walked: WalkedField[] = [];
  const ways = new Map<string, Way>();
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  for (const [kind, root] of roots)
    if (root) ways.set(root.name, { kind, names: [], wrap: (selection) => `${kind} ${selection}` });
  const follow = (onlyOpen: boolean) => {
    // A map is iterated in the order of insertion, with what is inserted meanwhile.
    for (const [typeName, way] of ways) {
      const type = schema.getType(typeName);
      if (!isObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        if (onlyOpen && !isOpenTo(field, audience)) continue;
        for (const target of listTargets(schema, getNamedType(field.type))) {
          if (ways.has(target)) continue;
          const call = writeField(field);
          const names = [...way.names, `${typeName}.${field.name}`];
          const wrap = (selection: string) => way.wrap(`{ ${call} { ... on ${target} ${selection} } }`);
          ways.set(target, { kind: way.kind, names, wrap });
        }
      }
    }
  };
  follow(true);
  follow(false);
  for (const [typeName, { kind, names, wrap }] of ways) {
    const type = schema.getType(typeName);
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const target = getNamedType(field.type);
      const below = 'getFields' in target ? ' { __typename }' : '';
      const name = `${typeName}.${field.name}`;
      walked.push({
        name,
        kind,
        way: [...names, name],
        document: wrap(`{ ${writeField(field)}${below} }`),
      });
    }
  }
  return walked;
}

function listTargets(schema: GraphQLSchema, type: GraphQLNamedType): string[] {
  if (isObjectType(type)) return [type.name];
  return isInterfaceType(type) ? schema.getPossibleTypes(type).map(({ name }) => name) : [];
}

/** Writes a field with values for the arguments that it requires. */
function writeField({ name, args }: GraphQLField<unknown, unknown>): string {
  const required = args.filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined);
  const given = required.map((argument) => `${argument.name}: ${writeValue(argument.type)}`);
  return given.length === 0 ? name : `${name}(${given.join(', ')})`;
}

function writeValue(type: GraphQLInputType): string {
  if (isNonNullType(type)) return writeValue(type.ofType);
  if (isListType(type)) return '[]';
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return `{ ${fields.map((field) => `${field.name}: ${writeValue(field.type)}`).join(', ')} }`;
  }
  return samples[(type as GraphQLNamedType).name] ?? '"x"';
}

const samples: Record<string, string> = {
  Int: '1',
  Float: '1',
  Boolean: 'true',
  DateTime: '"2026-03-01T00:00:00Z"',
  Date: '"2026-03-01"',
  Decimal: '"1"',
  JSONObject: '{}',
  Email: '"a@shop.example"',
  EmailAddress: '"a@shop.example"',
};

/** Names a field as the list of open fields does. */
export function describeOpenField(schema: GraphQLSchema, name: string, audience: Audience): string {
  const [typeName, fieldName] = name.split('.') as [string, string];
  const type = schema.getType(typeName)!;
  const isRoot = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].includes(
    type as never,
  );
  if (!isRoot || !isObjectType(type)) return name;
  const args = getDeclaration(type.getFields()[fieldName]!).openTo?.[audience]?.args ?? [];
  return args.length === 0 ? name : `${name}(${args.toSorted().join(', ')})`;
}
