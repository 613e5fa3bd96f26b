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

export const PreviewMail = graphql(`
  query PreviewMail($kind: MailKind!, $language: MailLanguage, $customerId: ID) {
    previewMail(kind: $kind, language: $language, customerId: $customerId) {
      subject
      html
    }
  }
`);

export const ResendMail = graphql(`
  mutation ResendMail($id: ID!) {
    resendMail(id: $id) {
      id
    }
  }
`);
