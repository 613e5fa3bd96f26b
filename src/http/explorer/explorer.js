// The page that GET /graphql serves to browsers: GraphiQL, with the API key in its header editor.
import { GraphiQL } from 'graphiql';
import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { createElement, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

const defaultHeaders = '{\n  "api-key": ""\n}';

const defaultQuery = `# Put your API key under "Headers" below,
# then press Ctrl+Enter.

query Customers {
  customers(first: 10) {
    nodes {
      id
      firstName
      lastName
      email
    }
  }
}
`;

async function sendRequest(body, { headers } = {}) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

/**
 * Returns the complete API key in the header editor's text, or an empty string. A partial key is ignored, because
 * each request with a wrong key counts as a failure.
 */
function findKey(headers) {
  return /"(prn_[a-z0-9-]+_[0-9a-z]{12}_[0-9a-z]{40})"/.exec(headers)?.[1] ?? '';
}

/** Returns the schema, loaded with the key; null until a valid key is entered. */
function useSchema(apiKey) {
  const [schema, setSchema] = useState(null);
  useEffect(() => {
    if (!apiKey) return undefined;
    let isCurrent = true;
    sendRequest({ query: getIntrospectionQuery() }, { headers: { 'api-key': apiKey } })
      .then(({ data }) => isCurrent && setSchema(data ? buildClientSchema(data) : null))
      .catch(() => isCurrent && setSchema(null));
    return () => {
      isCurrent = false;
    };
  }, [apiKey]);
  return schema;
}

function Explorer() {
  const [apiKey, setApiKey] = useState('');
  const schema = useSchema(apiKey);
  const logo = createElement(GraphiQL.Logo, null, 'Perennial');
  return createElement(
    GraphiQL,
    {
      fetcher: sendRequest,
      schema,
      defaultQuery,
      defaultHeaders,
      defaultEditorToolsVisibility: 'headers',
      // The next user of the browser could read a stored key.
      shouldPersistHeaders: false,
      showPersistHeadersSettings: false,
      onEditHeaders: (headers) => setApiKey(findKey(headers)),
    },
    logo,
  );
}

createRoot(document.querySelector('#explorer')).render(createElement(Explorer));
