/** Documents and readers of requests for actions. */
import type { Answer, Client } from '../../support/app.ts';

export const requestFields = `id operation input reason status customerId requestedBy requestedByName requestedAt expiresAt
  decidedBy decidedByName decidedAt declineReason completedAt resultId failure { reason message } permission needsStepUp
  preview { version amounts { kind amount { decimal currency } credits creditTypeId } changes { activityType action resourceId } }`;

export const propose = `mutation ($input: ProposeActionInput!) { proposeAction(input: $input) { ${requestFields} } }`;
export const approve = `mutation ($id: ID!, $version: String!) {
  approveActionRequest(id: $id, input: { previewVersion: $version }) { ${requestFields} }
}`;
export const decline = `mutation ($id: ID!, $input: DeclineActionRequestInput) {
  declineActionRequest(id: $id, input: $input) { ${requestFields} }
}`;
export const withdraw = `mutation ($id: ID!) { withdrawActionRequest(id: $id) { ${requestFields} } }`;
export const find = `query ($id: ID!) { actionRequest(id: $id) { ${requestFields} } }`;

/** A key or an operator. */
export interface Poster {
  post(query: string, variables?: any, headers?: any): Promise<Answer>;
}

/** Returns the data of an answer that must be no error. */
export function readAnswer({ body, text }: Answer): any {
  if (!body?.data || body.errors) throw new Error(text);
  return body.data;
}

/** Returns the reason of an error of GraphQL. */
export const reasonOf = ({ body }: Answer): string | undefined => body.errors?.[0]?.extensions.reason;

/** Returns the id of the request that a refused call made. */
export const readAskedId = ({ body }: Answer): string =>
  body.errors[0].extensions.issues.find(({ path }: { path: string }) => path === 'actionRequest').message;

/** Returns the request that a refused call made. */
export const actionRequest = async (by: Client, answer: Answer): Promise<any> =>
  (await by.graphql(find, { id: readAskedId(answer) })).actionRequest;

/** Asks for an action; it must be taken. */
export const ask = async (by: Poster, input: object): Promise<any> =>
  readAnswer(await by.post(propose, { input })).proposeAction;

/** Approves what a request shows. */
export const approveBy = (
  by: Poster,
  { id, preview }: { id: string; preview: { version: string } },
  headers?: Record<string, string>,
): Promise<Answer> => by.post(approve, { id, version: preview.version }, headers);

/** The amounts of a preview by their kinds. */
export const sumPreview = ({ preview }: { preview: { amounts: any[] } }): Record<string, string> =>
  Object.fromEntries(preview.amounts.map(({ kind, amount, credits }) => [kind, amount?.decimal ?? credits]));
