const form = '1 to 200 letters, digits and `_.:-`, unique among records of its kind';

/** The options of the field of a record with a lookup key, and of its inputs. */
export const lookupKeyField = {
  nullable: true,
  description: 'Your own name for it, which is accepted wherever its id is; null for none.',
};
export const givenLookupKey = {
  nullable: true,
  description: `Your own name for it, which is accepted wherever its id is: ${form}.`,
};
export const changedLookupKey = {
  nullable: true,
  description: `Your own name for it, which is accepted wherever its id is: ${form}; null removes it.`,
};

/** The filter of a list. */
export const lookupKeyFilter = { nullable: true, description: 'Filter by the lookup key.' };

/** Whether a price takes a key that another price has. */
export const transferField = {
  nullable: true,
  description: 'Whether it takes `lookupKey` from the price that has it, at once. Default: false.',
};
