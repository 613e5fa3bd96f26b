// The page that GET /graphql shows a browser: GraphiQL, with the API key in its header editor.
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

async function ask(question, { headers } = {}) {
  const answer = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(question),
  });
  return answer.json();
}

/** The API key in the header editor's text; empty while it is being typed, lest each letter be a wrong key. */
function keyIn(headers) {
  return /"(prn_[a-z0-9-]+_[0-9a-z]{12}_[0-9a-z]{40})"/.exec(headers)?.[1] ?? '';
}

/** The schema as the server tells it to a key; null until there is a good one. */
function useSchema(apiKey) {
  const [schema, setSchema] = useState(null);
  useEffect(() => {
    if (!apiKey) return undefined;
    let isCurrent = true;
    ask({ query: getIntrospectionQuery() }, { headers: { 'api-key': apiKey } })
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
      fetcher: ask,
      schema,
      defaultQuery,
      defaultHeaders,
      defaultEditorToolsVisibility: 'headers',
      // A key that is kept in the browser could be read by whoever sits there next.
      shouldPersistHeaders: false,
      showPersistHeadersSettings: false,
      onEditHeaders: (headers) => setApiKey(keyIn(headers)),
    },
    logo,
  );
}

createRoot(document.querySelector('#explorer')).render(createElement(Explorer));
