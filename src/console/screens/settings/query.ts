import { graphql, type ResultOf, type VariablesOf } from '../../data/graphql.ts';

export const SettingsQuery = graphql(`
  query Settings {
    tenant {
      alias
      name
      timeZone
      isTest
      defaultCurrency
      retryDays
      paymentTermsDays
      invoiceGraceHours
      documentRetentionYears
      usageRetentionDays
      usageAlertPercents
      trialEndWithoutMethod
      vatIdCheck
      taxCurrency
      homeCurrency
      missingExchangeRates {
        day
        currency
        taxCurrency
        documents
      }
      placeOfSupply
      unionSales {
        year
        state
        destinationFrom
        destinationUntil
        net {
          decimal
          currency
        }
        previousNet {
          decimal
          currency
        }
        threshold {
          decimal
          currency
        }
        otherCurrencies {
          decimal
          currency
        }
        withoutRate {
          day
        }
      }
      untaxedCountry
      standardTaxRatesCheckedUntil
      standardTaxRatesOutdated
      allowedOrigins
      seller {
        chargesNoTax
        legalName
        registration
        contact {
          name
          phone
          email
        }
        electronicAddress {
          scheme
          value
        }
        legalRegistration {
          scheme
          value
        }
        taxExemption {
          kind
          reference
          text
          code
        }
        paymentNotes {
          recoveryFee
          latePenalties
          earlyPaymentDiscount
        }
        footer
        logoId
        address {
          line1
          line2
          postalCode
          city
          region
          country
        }
        taxIds {
          type
          value
        }
      }
      branding {
        displayName
        color
        faviconId
        supportEmail
        supportUrl
        termsUrl
        privacyUrl
      }
      dunning {
        mailDays
        accessGraceDays
        finalAction
      }
      changePolicy {
        planUpgrade
        planDowngrade
        increase
        decrease
      }
      portal {
        enabled
        headline
        returnUrl
        signInByCode
        cancellation
        cancellationReasons
        planChange
        quantityChange
        addOns
        pause
        paymentMethods
        invoices
        details
        balance
        promotionCodes
        productIds
        retentionCouponId
      }
      mail {
        enabled
        fromName
        replyTo
        testRecipient
        renewalNoticeDays
        sentKinds
        bounceUrl
      }
      numberSeries {
        kind
        prefix
        pattern
        reset
        example
      }
      paymentProviders
      bankAccount {
        accountHolder
        iban
        bic
        bankName
        accountNumber
        instructions
      }
      accounts {
        provider
        configuredAt
        failedAt
        failure
        callbackUrl
        previousCallbackSecretUntil
        settings {
          name
          value
        }
      }
    }
  }
`);

/** The names of the plans and the coupon that are chosen. */
export const PortalChoicesQuery = graphql(`
  query PortalChoices($productIds: [ID!]!, $couponIds: [ID!]!) {
    products: nodes(ids: $productIds) {
      id
      ... on Product {
        name
      }
    }
    coupons: nodes(ids: $couponIds) {
      id
      ... on Coupon {
        name
      }
    }
  }
`);

export type PortalChoices = ResultOf<typeof PortalChoicesQuery>;

export type Settings = NonNullable<ResultOf<typeof SettingsQuery>['tenant']>;

export const UpdateTenant = graphql(`
  mutation UpdateSettings($input: UpdateTenantInput!) {
    updateTenant(input: $input) {
      alias
      name
    }
  }
`);

export type TenantInput = VariablesOf<typeof UpdateTenant>['input'];

export const UpdateNumberSeries = graphql(`
  mutation UpdateNumberSeries($input: UpdateNumberSeriesInput!) {
    updateNumberSeries(input: $input) {
      kind
      prefix
      pattern
      reset
      example
    }
  }
`);

export const OperatorsQuery = graphql(`
  query Operators($first: Int, $after: String) {
    operators(first: $first, after: $after) {
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        operatorId
        email
        name
        role
        createdAt
        lastSeenAt
      }
    }
  }
`);

export type TeamMember = NonNullable<ResultOf<typeof OperatorsQuery>['operators']>['nodes'][number];
export type Role = TeamMember['role'];

export const InviteOperator = graphql(`
  mutation InviteOperator($input: InviteOperatorInput!) {
    inviteOperator(input: $input) {
      url
      expiresAt
      operator {
        operatorId
        email
      }
    }
  }
`);

export const ChangeOperatorRole = graphql(`
  mutation ChangeOperatorRole($id: ID!, $input: ChangeOperatorRoleInput!) {
    changeOperatorRole(id: $id, input: $input) {
      operatorId
      role
    }
  }
`);

export const RemoveOperator = graphql(`
  mutation RemoveOperator($operatorId: ID!) {
    removeOperator(id: $operatorId) {
      operatorId
    }
  }
`);

export const CreateTestTenant = graphql(`
  mutation CreateTestTenant($input: CreateTestTenantInput!) {
    createTestTenant(input: $input) {
      tenant {
        alias
      }
    }
  }
`);

export const DeleteTestTenant = graphql(`
  mutation DeleteTestTenant($alias: ID!) {
    deleteTestTenant(id: $alias) {
      tenant {
        alias
      }
    }
  }
`);

export const SetPlaceOfSupply = graphql(`
  mutation SetPlaceOfSupply($input: SetPlaceOfSupplyInput!) {
    setPlaceOfSupply(input: $input) {
      alias
    }
  }
`);

export const ExchangeRatesQuery = graphql(`
  query ExchangeRates {
    exchangeRates(first: 10) {
      day
      source
      rates {
        currency
        rate
      }
    }
  }
`);

export const SetExchangeRate = graphql(`
  mutation SetExchangeRate($input: SetExchangeRateInput!) {
    setExchangeRate(input: $input) {
      day
      source
    }
  }
`);

export const ResetTenant = graphql(`
  mutation ResetTenant($input: ResetTenantInput!) {
    resetTenant(input: $input) {
      alias
    }
  }
`);

export const TaxRatesQuery = graphql(`
  query TaxRates {
    taxRates(first: 100) {
      nodes {
        id
        name
        country
        region
        postalCode
        taxCode
        category
        percent
        effectiveFrom
        archivedAt
      }
    }
  }
`);

export const StandardRatesQuery = graphql(`
  query StandardTaxRates($country: CountryCode) {
    standardTaxRates(country: $country) {
      country
      territory
      percent
      effectiveFrom
      postalCodes
    }
  }
`);

export const CreateTaxRate = graphql(`
  mutation CreateTaxRate($input: CreateTaxRateInput!) {
    createTaxRate(input: $input) {
      id
    }
  }
`);

export const ArchiveTaxRate = graphql(`
  mutation ArchiveTaxRate($id: ID!) {
    archiveTaxRate(id: $id) {
      id
      archivedAt
    }
  }
`);
