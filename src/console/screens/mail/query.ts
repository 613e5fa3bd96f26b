import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf } from '../../data/graphql.ts';

export const MailQuery = graphql(
  `
    query Mail($id: ID!) {
      mailDelivery(id: $id) {
        id
        kind
        language
        recipient
        subject
        status
        createdAt
        finishedAt
        nextAttemptAt
        customer {
          ...CustomerName
        }
        attempts {
          at
          durationMs
          response
          error
        }
      }
    }
  `,
  [CustomerName],
);

export type MailData = NonNullable<ResultOf<typeof MailQuery>['mailDelivery']>;

export const MailMessage = graphql(`
  query MailMessage($id: ID!) {
    mailDelivery(id: $id) {
      id
      message {
        subject
        html
        text
        attachments {
          fileName
          invoiceId
          creditNoteId
        }
      }
    }
  }
`);

export type MessageData = NonNullable<NonNullable<ResultOf<typeof MailMessage>['mailDelivery']>['message']>;

export const ResendMail = graphql(`
  mutation ResendMail($id: ID!) {
    resendMail(id: $id) {
      id
    }
  }
`);
