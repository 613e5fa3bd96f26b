/**
 * A REST route, defined by a GraphQL document. Its variables are the fields of the request: those of the path, then of
 * the body (POST, PATCH) or the query (GET, DELETE); `!` means required. The selection is the response. Every request also
 * has the field `tenantAlias`, which no document knows.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  document: string;
  /**
   * Builds the response from the root field, if it differs from that field. It may move fields, but not create
   * values: the OpenAPI document is derived by applying it to a sample.
   */
  shape?: (value: any) => unknown;
  /** Writes values of the response as REST spells them, see `restSpellings`; the fields stay. */
  respell?: (value: any) => unknown;
  /** Fields, at any depth, that `shape` omits from some responses. */
  optional?: readonly string[];
  /**
   * Whether the response is the file that `shape` returns as `contentType`, `fileName` and `base64`. Its bytes come from
   * `Context.download`, so that they are not encoded and decoded again.
   */
  isFile?: true;
  /** The media type of a response that is text: `shape` returns the text. */
  textType?: string;
  /**
   * Returns the path of what a POST created, from the response, as the `Location` of its 201 tells it (RFC 9110, 10.2.2).
   * A route without it creates several things.
   */
  locate?: (value: any) => string;
  /** Whether `tenantAlias` may be left out; it is verified if given. */
  isTenantOptional?: true;
  /** Reads the fields of a JSON body, if it takes more than they say themselves. */
  reads?: (body: Record<string, unknown>) => ReadBody;
  /** Another form of the body, beside JSON with the fields of the request. */
  alsoReads?: BodyFormat;
  /** Whether the route extends the original REST interface; marked `x-extension` in the OpenAPI document. */
  extension?: true;
}

/** A media type of bodies, and how the fields of the request are read from it. */
export interface BodyFormat {
  mediaType: string;
  /** What the OpenAPI document says of the body. */
  schema: Record<string, unknown>;
  /** Reads a body. Error: `validation_failed`. */
  read(body: unknown): ReadBody;
}

/** The body of a request as the fields of its route. */
export interface ReadBody {
  body: Record<string, unknown>;
  /** Adds to the response what only the reader of the body knows. */
  complete?: (value: any) => unknown;
}

/** The variables of every paginated list. */
export const page = '$limit: Int, $cursor: String, $order: Order';
/** The arguments of every paginated list. */
export const paged = 'first: $limit, after: $cursor, order: $order';

/** How responses of REST spell the values of enums that GraphQL spells otherwise. */
export const restSpellings: Partial<Record<string, (name: string) => string>> = {
  InvoiceLineKind: (name) => name.toUpperCase(),
};
