import { MeterFields } from '../../data/fragments.ts';
import { graphql, type FragmentOf } from '../../data/graphql.ts';

export const MetersQuery = graphql(
  `
    query Meters($first: Int, $after: String, $order: Order) {
      meters(first: $first, after: $after, order: $order) {
        totalCount
        pageInfo {
          endCursor
          hasNextPage
        }
        nodes {
          ...MeterFields
        }
      }
    }
  `,
  [MeterFields],
);

export type MeterRow = FragmentOf<typeof MeterFields>;

export const PreviewMeterQuery = graphql(`
  query PreviewMeter($input: CreateMeterInput!, $from: DateTime!, $until: DateTime!) {
    previewMeter(input: $input, from: $from, until: $until) {
      value
      events
      uncounted
    }
  }
`);

export const CreateMeter = graphql(`
  mutation CreateMeter($input: CreateMeterInput!) {
    createMeter(input: $input) {
      id
    }
  }
`);
