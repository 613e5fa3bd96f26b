import { useState } from 'react';
import { graphql } from '../../data/graphql.ts';
import { Button } from '../../design/Button.tsx';
import { formatCurl, formatGraphql, type ScreenRequest } from '../../design/request.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { texts } from './texts.ts';

const CreateFirstProduct = graphql(`
  mutation CreateProduct($input: CreateProductInput!) {
    createProduct(input: $input) {
      id
      prices {
        id
      }
    }
  }
`);

const CreateFirstCustomer = graphql(`
  mutation CreateCustomer($input: CreateCustomerInput!) {
    createCustomer(input: $input) {
      id
    }
  }
`);

const CreateFirstSale = graphql(`
  mutation Sell($input: CreateSubscriptionIntentInput!) {
    createSubscriptionIntent(input: $input) {
      id
      paymentUrl
    }
  }
`);

const product: ScreenRequest = {
  document: CreateFirstProduct,
  variables: {
    input: {
      name: 'Pro',
      description: '',
      prices: [
        { details: { decimal: '29.00', currency: 'eur' }, recurring: { frequency: 'Monthly', period: 1 } },
      ],
    },
  },
};

const customer: ScreenRequest = {
  document: CreateFirstCustomer,
  variables: {
    input: { associatedId: 'user-1', firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' },
  },
};

const sale: ScreenRequest = {
  document: CreateFirstSale,
  variables: {
    input: {
      customerId: 'cus_…',
      productId: 'prod_…',
      priceId: 'price_…',
      receiptUrl: 'https://shop.example/thanks',
    },
  },
};

/** The way to the first sale by the API, for a tenant without one. */
export function FirstSteps() {
  const t = useTexts(texts);
  return (
    <section className="home-first">
      <h2>{t.firstTitle}</h2>
      <p className="soft">{t.firstText}</p>
      <ol>
        <Step title={t.stepProduct} text={t.stepProductText} request={product} />
        <Step title={t.stepCustomer} text={t.stepCustomerText} request={customer} />
        <Step title={t.stepSale} text={t.stepSaleText} request={sale} />
      </ol>
    </section>
  );
}

interface StepProps {
  title: string;
  text: string;
  request: ScreenRequest;
}

function Step({ title, text, request }: StepProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const [asCurl, setAsCurl] = useState(false);
  const code = asCurl ? formatCurl(request, location.origin) : formatGraphql(request);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    toast(t.copied);
  };
  return (
    <li>
      <h3>{title}</h3>
      <p className="soft">{text}</p>
      <div className="row">
        <Button look="quiet" aria-pressed={!asCurl} onClick={() => setAsCurl(false)}>
          GraphQL
        </Button>
        <Button look="quiet" aria-pressed={asCurl} onClick={() => setAsCurl(true)}>
          curl
        </Button>
        <Button look="quiet" icon="copy" aria-label={t.copyRequest(title)} onClick={() => void copy()} />
      </div>
      <pre dir="ltr" tabIndex={0} role="region" aria-label={title}>
        <code>{code}</code>
      </pre>
    </li>
  );
}
