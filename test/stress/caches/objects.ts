/** The objects of responses and of events, and what differs between two responses. */
import { isDeepStrictEqual } from 'node:util';

/** Returns the path and the values of the first difference; undefined if there is none. */
export function findDifference(kept: any, fresh: any, path = ''): string | undefined {
  if (isDeepStrictEqual(kept, fresh)) return undefined;
  const isBoth = [kept, fresh].every((each) => typeof each === 'object' && each !== null);
  if (!isBoth)
    return `${path}: ${JSON.stringify(kept)?.slice(0, 80)}, fresh ${JSON.stringify(fresh)?.slice(0, 80)}`;
  for (const key of new Set([...Object.keys(kept), ...Object.keys(fresh)])) {
    const found = findDifference(kept[key], fresh[key], `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

/** Objects of other prototypes compare as what JSON has of them. */
export const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? null));

/** Adds the type of each object with an id in a response. */
export function collectObjects(response: any, types: Map<string, string>): void {
  if (typeof response !== 'object' || response === null) return;
  if (response.id && response.__typename) types.set(response.id, response.__typename);
  for (const value of Object.values(response)) collectObjects(value, types);
}

const idForm = /^[a-z]+_[0-9a-z]{26}$/;

/**
 * Lists the objects that an event concerns: its own, and those that it refers to no more, or that lose it, as a group loses a
 * product.
 */
export function listConcerned({ action, resourceId, object, changes }: any): string[] {
  const lost =
    action === 'deleted' ? Object.values(object) : Object.values<any>(changes).map(([before]) => before);
  const others = lost.filter((id): id is string => typeof id === 'string' && idForm.test(id));
  return [resourceId, ...others];
}
