CREATE TABLE "coupons" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"percent_off" text collate "C",
	"amount_off_minor" bigint,
	"currency" text collate "C",
	"duration" text collate "C" NOT NULL,
	"duration_in_months" bigint,
	"product_ids" json,
	"max_redemptions" bigint,
	"redeem_by" timestamp (3) with time zone,
	"times_redeemed" bigint NOT NULL,
	"active" boolean NOT NULL,
	"metadata" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "coupons_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "promotion_codes" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"coupon_id" text collate "C" NOT NULL,
	"code" text collate "C" NOT NULL,
	"active_code" text collate "C",
	"customer_id" text collate "C",
	"first_purchase_only" boolean NOT NULL,
	"minimum_amount_minor" bigint,
	"currency" text collate "C",
	"max_redemptions" bigint,
	"times_redeemed" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "promotion_codes_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "discounts" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C",
	"coupon_id" text collate "C" NOT NULL,
	"promotion_code_id" text collate "C",
	"position" bigint NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"spent_invoice_id" text collate "C",
	"removed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "discounts_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "invoice_items" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C",
	"kind" text collate "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"currency" text collate "C" NOT NULL,
	"description" text collate "C" NOT NULL,
	"quantity" bigint NOT NULL,
	"period_start" timestamp (3) with time zone NOT NULL,
	"period_end" timestamp (3) with time zone NOT NULL,
	"explanation" json NOT NULL,
	"credited_line_id" text collate "C",
	"discounts" json,
	"price_id" text collate "C",
	"invoice_id" text collate "C",
	"removed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invoice_items_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "reason" text collate "C";--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "add_ons" json;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "billing" text collate "C";--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "credits" json;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "trial_days" bigint;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "setup_fee_minor" bigint;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "coupon_id" text collate "C";--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "promotion_code_id" text collate "C";--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "discounts" json;--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD COLUMN "discounts" json;--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD COLUMN "price_id" text collate "C";--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "trial_days" bigint;--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "setup_fee_minor" bigint;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "add_ons" json;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "trial_ends_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "trial_end_announced_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "change_policy" json;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "trial_end_without_method" text collate "C";--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "discounts_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "invoice_items_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "coupons" ADD CONSTRAINT "coupons_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotion_codes" ADD CONSTRAINT "promotion_codes_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "promotion_codes" ADD CONSTRAINT "promotion_codes_coupon_id_fk" FOREIGN KEY ("tenant_alias","coupon_id") REFERENCES "public"."coupons"("tenant_alias","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discounts" ADD CONSTRAINT "discounts_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discounts" ADD CONSTRAINT "discounts_coupon_id_fk" FOREIGN KEY ("tenant_alias","coupon_id") REFERENCES "public"."coupons"("tenant_alias","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoice_items" ADD CONSTRAINT "invoice_items_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "coupons_created" ON "coupons" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "coupons_active" ON "coupons" USING btree ("tenant_alias","active","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "promotion_codes_active_code" ON "promotion_codes" USING btree ("tenant_alias","active_code") WHERE active_code is not null;--> statement-breakpoint
CREATE INDEX "promotion_codes_created" ON "promotion_codes" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "promotion_codes_coupon" ON "promotion_codes" USING btree ("tenant_alias","coupon_id","created_at","id");--> statement-breakpoint
CREATE INDEX "discounts_customer" ON "discounts" USING btree ("tenant_alias","customer_id","id");--> statement-breakpoint
CREATE INDEX "discounts_subscription" ON "discounts" USING btree ("tenant_alias","subscription_id","id") WHERE subscription_id is not null;--> statement-breakpoint
CREATE INDEX "invoice_items_customer" ON "invoice_items" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "invoice_items_waiting" ON "invoice_items" USING btree ("tenant_alias","customer_id","id") WHERE invoice_id is null and removed_at is null;--> statement-breakpoint
CREATE INDEX "invoice_items_invoice" ON "invoice_items" USING btree ("tenant_alias","invoice_id","id") WHERE invoice_id is not null;--> statement-breakpoint
CREATE INDEX "invoices_charging" ON "invoices" USING btree ("tenant_alias","charge_started_at","id") WHERE subscription_id is null and charge_started_at is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_trialing" ON "subscriptions" USING btree ("tenant_alias","created_at","id") WHERE cancelled_at is null and trial_ends_at is not null;