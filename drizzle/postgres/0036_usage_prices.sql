CREATE TABLE "usage_periods" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C" NOT NULL,
	"open_for" text collate "C",
	"meter_id" text collate "C" NOT NULL,
	"price_id" text collate "C" NOT NULL,
	"is_add_on" boolean NOT NULL,
	"product_id" text collate "C" NOT NULL,
	"product_name" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"frequency" text collate "C" NOT NULL,
	"period" bigint NOT NULL,
	"anchor" timestamp (3) with time zone NOT NULL,
	"pricing" json NOT NULL,
	"tax_behavior" text collate "C",
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"charges" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "usage_periods_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "meter_id" text collate "C";--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "usage_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "usage_periods" ADD CONSTRAINT "usage_periods_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "usage_periods_open" ON "usage_periods" USING btree ("tenant_alias","open_for","id") WHERE open_for is not null;--> statement-breakpoint
CREATE INDEX "usage_periods_meter" ON "usage_periods" USING btree ("tenant_alias","meter_id","ends_at");--> statement-breakpoint
CREATE INDEX "usage_periods_customer" ON "usage_periods" USING btree ("tenant_alias","customer_id","id");--> statement-breakpoint
CREATE INDEX "prices_meter" ON "prices" USING btree ("tenant_alias","meter_id","id") WHERE meter_id is not null;