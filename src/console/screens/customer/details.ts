import { graphql, type ResultOf } from '../../data/graphql.ts';
import type { personTexts } from './texts.ts';

/** The details of a customer that are a line of text each. They are shown beside the customer, and edited in the dialog. */
export const CustomerDetails = graphql(`
  fragment CustomerDetails on Customer {
    locale
    buyerReference
  }
`);

type Details = ResultOf<typeof CustomerDetails>;
type TextName = keyof (typeof personTexts)['en'];

/** The texts of each detail: its name beside the customer; its label and its hint in the dialog. */
export const detailTexts = {
  locale: { name: 'language', label: 'locale', hint: 'localeHint' },
  buyerReference: { name: 'buyerReference', label: 'buyerReference', hint: 'buyerReferenceHint' },
} as const satisfies Record<keyof Details, Record<'name' | 'label' | 'hint', TextName>>;

export const detailNames = Object.keys(detailTexts) as (keyof Details)[];
