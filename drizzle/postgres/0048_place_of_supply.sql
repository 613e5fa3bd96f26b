CREATE TABLE "union_sales" (
	"tenant_alias" text collate "C" NOT NULL,
	"year" bigint NOT NULL,
	"currency" text collate "C" NOT NULL,
	"net_minor" bigint NOT NULL,
	"warned_at" timestamp (3) with time zone,
	"exceeded_at" timestamp (3) with time zone,
	CONSTRAINT "union_sales_tenant_alias_year_currency_pk" PRIMARY KEY("tenant_alias","year","currency")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "place_of_supply" text collate "C";--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "product_kinds_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "kind" text collate "C";--> statement-breakpoint
ALTER TABLE "union_sales" ADD CONSTRAINT "union_sales_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;