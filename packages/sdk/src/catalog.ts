/** Catalogue files. The types are written from the schema of the file, by test/catalogFile/reference.test.ts. */

/** A catalogue file: what `perennial catalog` compares with a tenant, and `catalog.plan` and `catalog.apply` take. */
export interface CatalogFile {
  /** The version of the format: 1. */
  version?: 1;
  /** Product groups, of which a customer has one product. */
  groups?: {
    /** The name, by which products refer to it; unique in the file. */
    name: string;
    /** Whether the rest of a period is credited with a change of plan. Default: false. */
    prorateUpgrades?: boolean;
    /** Your own data. */
    metadata?: Record<string, unknown>;
  }[];
  /** Meters of usage. Their definitions are fixed. */
  meters?: {
    /** The name, by which prices and features refer to it; unique in the file. */
    name: string;
    /** The name of the events. */
    event: string;
    aggregation: 'count' | 'sum' | 'max' | 'min' | 'latest' | 'unique' | 'weighted_sum';
    /** The property that is aggregated. */
    value?: string | null;
    groupBy?: string[];
    filter?: {
      property: string;
      values: string[];
    }[];
    persistent?: boolean;
    /** What the total is multiplied by. Default: 1. */
    unitMultiplier?: string | number;
  }[];
  /** Features. Kind, meter and credit type are fixed. */
  features?: {
    /** The key, by which applications name it: the lookup key of a feature. */
    key: string;
    /** The name. */
    name: string;
    kind: 'boolean' | 'config' | 'limit';
    /** The name of the meter that counts the use of a limit. */
    meter?: string | null;
    /** The name of the credit type in which a limit is counted. */
    creditType?: string | null;
    alertPercents?: number[] | null;
    /** Whether it is archived. Default: false. */
    archived?: boolean;
  }[];
  /** Products with their prices and features. */
  products?: {
    /** Your own name for it, by which the entry is the same in every file and tenant. */
    lookupKey?: string;
    /** The id of a record that has no lookup key; beside a lookup key, the record that receives it. */
    id?: string;
    /** The name, which customers see. */
    name: string;
    /** The description. Default: empty. */
    description?: string;
    /** Whether customers can subscribe to it. Default: true. */
    active?: boolean;
    /** The name of its product group. */
    group?: string | null;
    /** Your own data. */
    metadata?: Record<string, unknown>;
    /** When it stops being available. */
    expiresAt?: string | null;
    /** Selects the tax rates with this code. */
    taxCode?: string | null;
    kind?: 'electronic_service' | 'service' | 'service_on_site' | 'goods' | null;
    /** What a pricing page lists. */
    features?: string[];
    /** Whether a pricing page emphasises it. */
    highlighted?: boolean;
    /** Its place, the lowest first. */
    sortOrder?: number | null;
    /** Its prices. Without the list they are left alone. */
    prices?: {
      /** Your own name for it, by which the entry is the same in every file and tenant. */
      lookupKey?: string;
      /** The id of a record that has no lookup key; beside a lookup key, the record that receives it. */
      id?: string;
      /** The amount, as in `CreatePriceInput`. */
      details: {
        /** In major units: 20 is twenty dollars. */
        amount?: number;
        /** The same as text, exact; up to 12 decimals for a unit. */
        decimal?: string;
        /** ISO 4217. */
        currency: string;
      };
      /** The billing interval. Default: every month. */
      recurring?: {
        frequency?: 'Daily' | 'Weekly' | 'Monthly' | 'Yearly';
        /** The units between two charges. Default: 1. */
        period?: number;
        /** The billing anchor. Default: the start of the subscription. */
        executionDate?: string | null;
      };
      /** The price model. Default: `flat`; with a meter `per_unit`. */
      model?: 'flat' | 'per_unit' | 'package' | 'graduated' | 'volume' | 'percentage';
      /** The tiers in ascending order. */
      tiers?: {
        /** The last unit; null for the last tier. */
        upTo?: string | number | null;
        /** The price of a unit. */
        unitAmount?: string | number;
        /** The price of the tier. */
        flatAmount?: string | number;
      }[];
      /** The units of a package. */
      packageSize?: number | null;
      /** The minimum quantity. */
      minQuantity?: number | null;
      /** The maximum quantity. */
      maxQuantity?: number | null;
      /** A name for your own use. */
      nickname?: string | null;
      /** The days before the first charge. */
      trialDays?: number | null;
      /** A fee that a new subscription pays once. */
      setupFee?: {
        /** In major units: 20 is twenty dollars. */
        amount?: number;
        /** The same as text, exact; up to 12 decimals for a unit. */
        decimal?: string;
        /** ISO 4217. */
        currency: string;
      } | null;
      /** Default: `exclusive`. */
      taxBehavior?: 'exclusive' | 'inclusive';
      /** The name of the meter that counts the units of a price of usage. */
      meter?: string;
      /** The units of a period that cost nothing. */
      includedUnits?: string | number | null;
      /** What a period costs at least. */
      minimumSpend?: {
        /** In major units: 20 is twenty dollars. */
        amount?: number;
        /** The same as text, exact; up to 12 decimals for a unit. */
        decimal?: string;
        /** ISO 4217. */
        currency: string;
      } | null;
      /** What a period costs at most. */
      maximumSpend?: {
        /** In major units: 20 is twenty dollars. */
        amount?: number;
        /** The same as text, exact; up to 12 decimals for a unit. */
        decimal?: string;
        /** ISO 4217. */
        currency: string;
      } | null;
      /** The prices of units by their properties. */
      rates?: {
        /** The properties of the events. */
        match: Record<string, unknown>;
        /** The price of a unit. */
        unitAmount: string | number;
      }[];
      /** The terms of the model `percentage`. */
      percentage?: {
        /** The share of the amounts of events. */
        percent: string | number;
        /** Charged for each event. */
        fixedPerEvent?: string | number | null;
        /** The first events that are free. */
        freeEvents?: number | null;
        /** The first amount that is free. */
        freeAmount?: string | number | null;
        /** The least of an event. */
        minPerEvent?: string | number | null;
        /** The most of an event. */
        maxPerEvent?: string | number | null;
      };
    }[];
    /** The features that are attached to it. Without the list they stay unchanged. */
    entitlements?: {
      /** The key of the feature. */
      feature: string;
      /** True or false, any value of a config, or the units of a limit; null for no end. */
      value: unknown;
      /** Whether use above the limit is allowed. */
      soft?: boolean;
      /** By how many units use may exceed a soft limit. */
      overageLimit?: string | number | null;
      /** Whether the limit counts once for each unit of the quantity. */
      timesQuantity?: boolean;
      /** Decides between values of a config, 0 to 100. */
      priority?: number;
    }[];
  }[];
  /** Coupons. Other terms make a new coupon, to which the lookup key moves. */
  coupons?: {
    /** Your own name for it, by which the entry is the same in every file and tenant. */
    lookupKey?: string;
    /** The id of a record that has no lookup key; beside a lookup key, the record that receives it. */
    id?: string;
    /** The name. */
    name: string;
    /** A percentage. */
    percentOff?: string | number | null;
    /** An amount, instead of a percentage. */
    amountOff?: {
      /** In major units: 20 is twenty dollars. */
      amount?: number;
      /** The same as text, exact; up to 12 decimals for a unit. */
      decimal?: string;
      /** ISO 4217. */
      currency: string;
    } | null;
    duration: 'once' | 'repeating' | 'forever';
    /** The months of a repeating discount. */
    durationInMonths?: number | null;
    /** The lookup keys of the products whose lines it reduces. Default: all. */
    products?: string[] | null;
    /** How often it may be redeemed. */
    maxRedemptions?: number | null;
    /** Until when it can be redeemed. */
    redeemBy?: string | null;
    /** Whether it can be redeemed. Default: true. */
    active?: boolean;
    /** Your own data. */
    metadata?: Record<string, unknown>;
  }[];
  /** Settings of tax. */
  tax?: {
    vatIdCheck?: 'draft' | 'rate' | 'accept' | null;
    /** The currency in which tax is owed. */
    taxCurrency?: string | null;
    /** Your own tax rates. Those that are absent are archived. */
    rates?: {
      /** ISO 3166-1 alpha-2. */
      country: string;
      /** A region. */
      region?: string | null;
      /** The start of the postcodes. */
      postalCode?: string | null;
      /** The tax code of the products. */
      taxCode?: string | null;
      category?: 'S' | 'Z' | 'E' | 'AE' | 'K' | 'G' | 'O';
      /** The percentage. */
      percent: string | number;
      /** From when on. Default: when it is created. */
      effectiveFrom?: string;
      /** The name. */
      name?: string | null;
    }[];
  };
  /** Webhook endpoints, without their secrets. Those that are absent are disabled. */
  webhooks?: {
    /** The address; unique in the file. */
    url: string;
    /** The description. */
    description?: string;
    /** Default: all. */
    events?: string[];
    /** The query of the payload. */
    query?: string | null;
    /** Default: true. */
    active?: boolean;
  }[];
  /** Your own texts of mails. Those that are absent become the standard ones. */
  mails?: {
    /** The kind of mail. */
    kind: string;
    /** The language. */
    language: string;
    /** The subject. */
    subject: string;
    /** The body. Default: the standard one. */
    body?: string | null;
  }[];
  /** Settings of the portal. Those that are absent are left alone. */
  portal?: {
    enabled?: boolean;
    signInByCode?: boolean;
    planChange?: boolean;
    quantityChange?: boolean;
    addOns?: boolean;
    pause?: boolean;
    promotionCodes?: boolean;
    cancellationReasons?: boolean;
    paymentMethods?: boolean;
    invoices?: boolean;
    details?: boolean;
    balance?: boolean;
    cancellation?: 'period_end' | 'now' | 'both' | 'off';
    /** The lookup key of the coupon that is offered before a cancellation. */
    retentionCoupon?: string | null;
    /** The lookup keys of the products to which plans may change. */
    products?: string[] | null;
    /** What the portal says first. */
    headline?: string | null;
    /** Where the portal leads back to. */
    returnUrl?: string | null;
  };
}

/** Returns the file as it is; gives editors its types. */
export const defineCatalog = (catalog: CatalogFile): CatalogFile => catalog;
