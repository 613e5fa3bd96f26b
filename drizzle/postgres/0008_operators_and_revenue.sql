CREATE TABLE "mrr_movements" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"subscription_id" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text collate "C" NOT NULL,
	"amount_minor" bigint NOT NULL,
	"mrr_after_minor" bigint NOT NULL,
	"subscriptions" bigint NOT NULL,
	"definitions" bigint NOT NULL,
	"is_standard" boolean NOT NULL,
	"cohort_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "mrr_movements_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "revenue_sums" (
	"tenant_alias" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"span" text collate "C" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"invoiced_minor" bigint NOT NULL,
	"paid_minor" bigint NOT NULL,
	"refunded_minor" bigint NOT NULL,
	"credited_minor" bigint NOT NULL,
	"failed_count" bigint NOT NULL,
	"failed_minor" bigint NOT NULL,
	"recovered_count" bigint NOT NULL,
	"recovered_minor" bigint NOT NULL,
	"trials_started" bigint NOT NULL,
	"trials_converted" bigint NOT NULL,
	"trials_lost" bigint NOT NULL,
	CONSTRAINT "revenue_sums_tenant_alias_currency_span_at_pk" PRIMARY KEY("tenant_alias","currency","span","at")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "revenue_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "mrr" json;--> statement-breakpoint
ALTER TABLE "mrr_movements" ADD CONSTRAINT "mrr_movements_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "revenue_sums" ADD CONSTRAINT "revenue_sums_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mrr_movements_sums" ON "mrr_movements" USING btree ("tenant_alias","currency","at","kind","definitions","cohort_at","amount_minor","subscriptions");--> statement-breakpoint
CREATE INDEX "mrr_movements_at" ON "mrr_movements" USING btree ("tenant_alias","is_standard","at","id");--> statement-breakpoint
CREATE INDEX "mrr_movements_kind" ON "mrr_movements" USING btree ("tenant_alias","is_standard","kind","at","id");--> statement-breakpoint
CREATE INDEX "mrr_movements_customer" ON "mrr_movements" USING btree ("tenant_alias","customer_id","at","id");