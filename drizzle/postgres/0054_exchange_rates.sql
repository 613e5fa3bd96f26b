CREATE TABLE "exchange_rates" (
	"tenant_alias" text collate "C" NOT NULL,
	"day" text collate "C" NOT NULL,
	"source" text collate "C" NOT NULL,
	"rates" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "exchange_rates_tenant_alias_day_source_pk" PRIMARY KEY("tenant_alias","day","source")
);
--> statement-breakpoint
CREATE TABLE "tax_conversions" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"document_currency" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"day" text collate "C" NOT NULL,
	"tax_minor" bigint,
	"rates" json,
	"rate_day" text collate "C",
	"source" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "tax_conversions_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "tax_currency" text collate "C";--> statement-breakpoint
ALTER TABLE "exchange_rates" ADD CONSTRAINT "exchange_rates_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tax_conversions" ADD CONSTRAINT "tax_conversions_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "tax_conversions_missing" ON "tax_conversions" USING btree ("tenant_alias","day","id") WHERE tax_minor is null;