CREATE TABLE "tax_sums" (
	"tenant_alias" text collate "C" NOT NULL,
	"day" timestamp (3) with time zone NOT NULL,
	"currency" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"country" text collate "C" NOT NULL,
	"category" text collate "C" NOT NULL,
	"percent" text collate "C" NOT NULL,
	"reason" text collate "C" NOT NULL,
	"documents" bigint NOT NULL,
	"taxable_minor" bigint NOT NULL,
	"tax_minor" bigint NOT NULL,
	CONSTRAINT "tax_sums_tenant_alias_day_currency_kind_country_category_percent_reason_pk" PRIMARY KEY("tenant_alias","day","currency","kind","country","category","percent","reason")
);
--> statement-breakpoint
CREATE TABLE "tax_progress" (
	"tenant_alias" text collate "C" NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"changes" bigint NOT NULL,
	CONSTRAINT "tax_progress_tenant_alias_pk" PRIMARY KEY("tenant_alias")
);
--> statement-breakpoint
ALTER TABLE "tax_sums" ADD CONSTRAINT "tax_sums_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tax_progress" ADD CONSTRAINT "tax_progress_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;