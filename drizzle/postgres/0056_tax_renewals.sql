CREATE TABLE "union_sales_days" (
	"tenant_alias" text collate "C" NOT NULL,
	"day" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"net_minor" bigint NOT NULL,
	"euro_minor" bigint,
	CONSTRAINT "union_sales_days_tenant_alias_day_currency_pk" PRIMARY KEY("tenant_alias","day","currency")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "renewed_rates" json;--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD COLUMN "product_kind" text collate "C";--> statement-breakpoint
ALTER TABLE "invoice_items" ADD COLUMN "product_kind" text collate "C";--> statement-breakpoint
ALTER TABLE "union_sales_days" ADD CONSTRAINT "union_sales_days_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;