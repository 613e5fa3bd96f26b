/**
 * Types without an `id`, derived from types with one. A cache stores objects by their type and id, so an object that is not
 * the record as it is now must not carry them: a record as of an event, or a line of a preview.
 */
import {
  getNamedType,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLFieldConfigMap,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { readsParent } from './bindResolvers.ts';

interface Derivation {
  /** The name of the derived type. */
  name: string;
  description: string;
  /** The field that has the id instead, unless the type has this field already; without it the id is left out. */
  idAs?: string;
}

const derivationKey = 'derivation';
const sourceKey = 'source';

/** Declares, as an extension of a field, that it shows objects of its type without their `id`. */
export const withoutId = (derivation: Derivation) => ({ [derivationKey]: derivation });

/** Returns the type that a type was derived from, if any. */
export const findSource = ({ extensions }: GraphQLNamedType): GraphQLObjectType | undefined =>
  extensions[sourceKey] as GraphQLObjectType | undefined;

/** Replaces the types of the fields that `withoutId` declares. */
export function deriveTypes(types: readonly GraphQLNamedType[]): void {
  const derived = new Map<string, GraphQLObjectType>();
  const fields = types.filter(isObjectType).flatMap((type) => Object.values(type.getFields()));
  for (const field of fields) {
    const derivation = field.extensions[derivationKey] as Derivation | undefined;
    if (!derivation) continue;
    const { name } = derivation;
    const type = derived.get(name) ?? derive(getNamedType(field.type) as GraphQLObjectType, derivation);
    derived.set(name, type);
    field.type = mapNamedType(field.type, () => type);
  }
}

function derive(source: GraphQLObjectType, { name, description, idAs }: Derivation): GraphQLObjectType {
  return new GraphQLObjectType({
    name,
    description,
    extensions: { [sourceKey]: source },
    // Computed last, because the fields of the source may have derived types.
    fields: () => {
      const { id, ...others } = source.toConfig().fields;
      if (idAs === undefined || idAs in others) return others;
      const resolve = ({ id: value }: { id: string }) => value;
      return { [idAs]: { ...id!, resolve, extensions: { [readsParent]: true } }, ...others };
    },
  });
}

/** Makes the fields of derived types call the resolvers that the fields of their sources call. */
export function bindDerivedTypes(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    const source = findSource(type)?.getFields();
    if (!source || !isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const same = source[field.name];
      if (same) [field.resolve, field.extensions] = [same.resolve, same.extensions];
    }
  }
}

function mapNamedType(
  type: GraphQLOutputType,
  map: (named: GraphQLNamedType) => GraphQLNamedType,
): GraphQLOutputType {
  if (isNonNullType(type)) return new GraphQLNonNull(mapNamedType(type.ofType, map));
  if (isListType(type)) return new GraphQLList(mapNamedType(type.ofType, map));
  return map(type) as GraphQLOutputType;
}

/** Rebuilds a type and all types that its fields lead to, with those that `change` returns in the place of others. */
export function rebuildTypes(
  root: GraphQLObjectType,
  change: (type: GraphQLNamedType) => GraphQLNamedType,
): GraphQLObjectType {
  const rebuilt = new Map<GraphQLNamedType, GraphQLNamedType>();
  const rebuildFields = (fields: GraphQLFieldConfigMap<unknown, unknown>) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        { ...field, type: mapNamedType(field.type, rebuild) },
      ]),
    );
  const rebuild = (given: GraphQLNamedType): GraphQLNamedType => {
    const type = change(given);
    const known = rebuilt.get(type);
    if (known) return known;
    const made = isObjectType(type)
      ? new GraphQLObjectType({
          ...type.toConfig(),
          interfaces: () => type.getInterfaces().map((each) => rebuild(each) as GraphQLInterfaceType),
          fields: () => rebuildFields(type.toConfig().fields),
        })
      : isInterfaceType(type)
        ? new GraphQLInterfaceType({
            ...type.toConfig(),
            fields: () => rebuildFields(type.toConfig().fields),
          })
        : type;
    rebuilt.set(type, made);
    return made;
  };
  return rebuild(root) as GraphQLObjectType;
}
