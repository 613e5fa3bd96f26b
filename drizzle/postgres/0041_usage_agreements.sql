CREATE TABLE "commitment_windows" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C" NOT NULL,
	"open_for" text collate "C",
	"commitment" json NOT NULL,
	"currency" text collate "C" NOT NULL,
	"product_id" text collate "C" NOT NULL,
	"product_name" text collate "C" NOT NULL,
	"tax_behavior" text collate "C",
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"whole_start" timestamp (3) with time zone NOT NULL,
	"whole_end" timestamp (3) with time zone NOT NULL,
	"charges" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "commitment_windows_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "usage_checks" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"subscription_id" text collate "C" NOT NULL,
	CONSTRAINT "usage_checks_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "usage_price_overrides" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C",
	"price_id" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"pricing" json NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "usage_price_overrides_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
DROP INDEX "invoices_cycle";--> statement-breakpoint
DROP INDEX "invoices_charging";--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "thresholds_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "billing_threshold_minor" bigint;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "commitment" json;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "billing_threshold_minor" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "commitment" json;--> statement-breakpoint
ALTER TABLE "commitment_windows" ADD CONSTRAINT "commitment_windows_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_checks" ADD CONSTRAINT "usage_checks_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_price_overrides" ADD CONSTRAINT "usage_price_overrides_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "commitment_windows_open" ON "commitment_windows" USING btree ("tenant_alias","open_for","id") WHERE open_for is not null;--> statement-breakpoint
CREATE INDEX "commitment_windows_subscription" ON "commitment_windows" USING btree ("tenant_alias","subscription_id","id");--> statement-breakpoint
CREATE INDEX "commitment_windows_customer" ON "commitment_windows" USING btree ("tenant_alias","customer_id","id");--> statement-breakpoint
CREATE INDEX "usage_price_overrides_created" ON "usage_price_overrides" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "usage_price_overrides_customer" ON "usage_price_overrides" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "usage_price_overrides_subscription" ON "usage_price_overrides" USING btree ("tenant_alias","subscription_id","created_at","id") WHERE subscription_id is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_threshold" ON "subscriptions" USING btree ("tenant_alias","customer_id") WHERE cancelled_at is null and billing_threshold_minor is not null;--> statement-breakpoint
CREATE INDEX "usage_periods_subscription" ON "usage_periods" USING btree ("tenant_alias","subscription_id","starts_at");--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_cycle" ON "invoices" USING btree ("tenant_alias","subscription_id","cycle_start") WHERE billing_reason not in ('plan_change', 'subscription_end', 'usage_threshold');--> statement-breakpoint
CREATE INDEX "invoices_charging" ON "invoices" USING btree ("tenant_alias","charge_started_at","id") WHERE charge_started_at is not null and billing_reason in ('one_off', 'subscription_end', 'usage_threshold');