import { graphql, type ResultOf } from '../../data/graphql.ts';

export const ClockQuery = graphql(`
  query Clock {
    tenant {
      alias
      isTest
      clock
      ownsClock
      clockAdvance {
        reached
        remaining
      }
    }
  }
`);

export type ClockData = NonNullable<ResultOf<typeof ClockQuery>['tenant']>;

export const ForecastQuery = graphql(`
  query ClockForecast($until: DateTime!) {
    tenant {
      alias
      forecast(until: $until) {
        date
        charges
        total {
          decimal
          currency
        }
      }
    }
  }
`);

export const AdvanceClock = graphql(`
  mutation AdvanceClock($to: DateTime!) {
    advanceClock(input: { to: $to }) {
      alias
      clock
      ownsClock
      clockAdvance {
        reached
        remaining
      }
    }
  }
`);
