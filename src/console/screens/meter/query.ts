import { MeterFields } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const MeterQuery = graphql(
  `
    query Meter($id: ID!, $from: DateTime!, $until: DateTime!) {
      meter(id: $id) {
        ...MeterFields
        filter {
          property
          values
        }
        persistent
        unitMultiplier
        startsAt
        versions {
          startsAt
          value
          groupBy
          filter {
            property
            values
          }
        }
      }
      usage(meterId: $id, from: $from, until: $until, by: day) {
        value
        events
        windows {
          from
          value
          events
        }
      }
    }
  `,
  [MeterFields],
);

export type MeterData = NonNullable<ResultOf<typeof MeterQuery>['meter']>;
export type UsageData = NonNullable<ResultOf<typeof MeterQuery>['usage']>;

export const PreviewMeterVersionQuery = graphql(`
  query PreviewMeterVersion($id: ID!, $input: CreateMeterVersionInput!, $from: DateTime!, $until: DateTime!) {
    previewMeterVersion(id: $id, input: $input, from: $from, until: $until) {
      value
      events
      uncounted
    }
  }
`);

export const CreateMeterVersion = graphql(`
  mutation CreateMeterVersion($id: ID!, $input: CreateMeterVersionInput!) {
    createMeterVersion(id: $id, input: $input) {
      id
      startsAt
    }
  }
`);

export const ArchiveMeter = graphql(`
  mutation ArchiveMeter($id: ID!) {
    archiveMeter(id: $id) {
      id
      archivedAt
    }
  }
`);
