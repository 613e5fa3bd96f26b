// Vendure as in its documentation, with SQLite and a shop of 200 products with three variants each. `node
// server.mjs --database FILE --fill` creates the shop; with `--port` it serves it.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { bootstrap, DefaultLogger, LanguageCode, LogLevel } from '@vendure/core';
import { populate } from '@vendure/core/cli/index.js';

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    port: { type: 'string', default: '0' },
    fill: { type: 'boolean', default: false },
  },
});
const productCount = 200;
const variantsOfProduct = 3;

const config = {
  apiOptions: {
    port: Number(values.port),
    hostname: '127.0.0.1',
    shopApiPath: 'shop-api',
    adminApiPath: 'admin-api',
  },
  authOptions: {
    tokenMethod: ['bearer'],
    superadminCredentials: { identifier: 'bench', password: 'bench-bench' },
  },
  dbConnectionOptions: { type: 'better-sqlite3', database: values.database, synchronize: values.fill },
  paymentOptions: { paymentMethodHandlers: [] },
  logger: new DefaultLogger({ level: LogLevel.Error }),
};

if (values.fill) {
  const app = await populate(() => bootstrap(config), initialData(), productsCsv());
  await app.close();
  process.exit(0);
}
await bootstrap(config);

function initialData() {
  return {
    defaultLanguage: LanguageCode.en,
    defaultZone: 'Asia',
    countries: [{ name: 'Afghanistan', code: 'AF', zone: 'Asia' }],
    taxRates: [{ name: 'Standard Tax', percentage: 0 }],
    shippingMethods: [],
    paymentMethods: [],
    collections: [],
  };
}

function productsCsv() {
  const columns =
    'name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets';
  const lines = [columns];
  for (let product = 0; product < productCount; product++) {
    for (let variant = 0; variant < variantsOfProduct; variant++) {
      const isFirst = variant === 0;
      const own = isFirst ? `Plan ${product},plan-${product},What a small office needs` : ',,';
      const group = isFirst ? 'term' : '';
      lines.push(
        `${own},,,${group},term ${variant},sku-${product}-${variant},${9.5 + 10 * variant},standard,100,false,,`,
      );
    }
  }
  const file = `${values.database}.csv`;
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
