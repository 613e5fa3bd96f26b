/** A webhook message after its signature was verified. */
export interface WebhookEvent<
  Type extends string = string,
  Name extends string = string,
  Record_ = Record<string, unknown>,
  Details = undefined,
> {
  /** The id of the event, the same in every attempt. */
  id: string;
  /** The server's name of the event: `InvoiceEvent.paid`. */
  type: Type;
  /** The name as handlers write it: `invoice.paid`. */
  name: Name;
  /** When it happened, on the tenant's clock. */
  timestamp: string;
  /** The number of the event within the endpoint, from 1, in order. */
  sequence: number;
  /** The trace of the change; the result of the query of an endpoint that has one. */
  data: Trace<Record_, Details>;
  /** GraphQL errors, if a part of the endpoint's query failed. */
  errors?: unknown[];
}

/** The record of one change. */
export interface Trace<Record_, Details> {
  tenantAlias: string;
  eventId: string;
  traceId: string;
  parentId: string | null;
  isRoot: boolean;
  executorId: string;
  activityType: string;
  payload: {
    action: string;
    resourceId: string;
    /** The record after the change. */
    object: Record_;
    /** What changed: `{status: ['open', 'paid']}`. */
    changes: Record<string, [unknown, unknown]>;
    /** Figures that the record does not have. */
    details: Details;
  };
  createdAt: string;
}
