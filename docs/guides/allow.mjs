// Once for a tenant: the pages that may call Perennial, and that customers may change their plan there.
const { BILLING_URL, API_KEY, SITE_PORT = '3000' } = process.env;

const response = await fetch(`${BILLING_URL}/graphql`, {
  method: 'POST',
  headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({
    query: `mutation Allow($input: UpdateTenantInput!) {
      updateTenant(input: $input) { allowedOrigins }
    }`,
    variables: {
      input: { allowedOrigins: [`http://localhost:${SITE_PORT}`], portal: { planChange: true } },
    },
  }),
});
const { data, errors } = await response.json();
if (errors) throw new Error(errors[0].message);
console.log(`Pages of ${data.updateTenant.allowedOrigins} may call`);
