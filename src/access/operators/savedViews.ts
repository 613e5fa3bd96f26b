/** The views of the lists of the console that an operator has saved in a tenant. Nobody else sees them. */
import { refuse } from '../../lib/errors.ts';
import type { SavedView } from '../../storage/model/common.ts';

/** A view without its list. */
interface NamedView {
  name: string;
  query: string;
}

/** So many that one can still choose from them. */
const mostPerList = 30;
const mostInAll = 300;
const longestName = 60;
const longestQuery = 2000;

/**
 * Returns the views of an operator with those of one list replaced, in the given order. Error: `validation_failed`.
 */
export function replaceViews(all: SavedView[], list: string, views: NamedView[]): SavedView[] {
  if (!/^[a-z][a-z-]{0,39}$/.test(list)) refuseField('list', 'must be 1 to 40 characters of a–z and hyphens');
  if (views.length > mostPerList) refuseField('views', `must be at most ${mostPerList}`);
  const named = views.map(({ name, query }, index) => {
    const path = `views.${index}`;
    const trimmed = name.trim();
    if (trimmed === '' || trimmed.length > longestName)
      refuseField(`${path}.name`, `must be 1 to ${longestName} characters`);
    if (query.length > longestQuery)
      refuseField(`${path}.query`, `must be at most ${longestQuery} characters`);
    return { list, name: trimmed, query };
  });
  const repeated = named.findIndex(
    ({ name }, index) => named.findIndex((each) => each.name === name) < index,
  );
  if (repeated >= 0) refuseField(`views.${repeated}.name`, 'is the name of another view of the list');
  const replaced = [...all.filter((view) => view.list !== list), ...named];
  if (replaced.length > mostInAll) refuseField('views', `must be at most ${mostInAll} in all lists`);
  return replaced;
}

const refuseField = (path: string, message: string): never => refuse('validation_failed', { path, message });
