import { CustomerName } from '../../data/fragments.ts';
import { graphql, type ResultOf, type VariablesOf } from '../../data/graphql.ts';

export const TemplatesQuery = graphql(`
  query MailTexts($kind: MailKind!, $language: MailLanguage!) {
    mailTemplates(first: 100) {
      nodes {
        id
        kind
        language
        subject
        body
      }
    }
    mailPlaceholders(kind: $kind)
    previewMail(kind: $kind, language: $language) {
      wording {
        subject
        body
      }
    }
  }
`);

export type TemplatesData = ResultOf<typeof TemplatesQuery>;
export type MailKind = VariablesOf<typeof TemplatesQuery>['kind'];
export type MailLanguage = VariablesOf<typeof TemplatesQuery>['language'];

export const PreviewDraft = graphql(`
  query PreviewMailText($kind: MailKind!, $language: MailLanguage!, $draft: MailDraftInput!) {
    previewMail(kind: $kind, language: $language, draft: $draft) {
      subject
      html
      text
    }
  }
`);

export const UpdateMailTemplate = graphql(`
  mutation UpdateMailText($input: UpdateMailTemplateInput!) {
    updateMailTemplate(input: $input) {
      id
      subject
      body
    }
  }
`);

export const DeleteMailTemplate = graphql(`
  mutation ResetMailText($id: ID!) {
    deleteMailTemplate(id: $id) {
      id
    }
  }
`);

export const SendTestMail = graphql(`
  mutation SendTestMail($input: SendTestMailInput!) {
    sendTestMail(input: $input) {
      id
      status
    }
  }
`);

export const BlockedCustomersQuery = graphql(
  `
    query BlockedCustomers($first: Int, $after: String) {
      blockedCustomers(first: $first, after: $after) {
        nodes {
          ...CustomerName
          email
          mailBlockedAt
          mailBlockedReason
        }
        pageInfo {
          endCursor
          hasNextPage
        }
      }
    }
  `,
  [CustomerName],
);
