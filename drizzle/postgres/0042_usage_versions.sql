CREATE TABLE "backfill_buckets" (
	"tenant_alias" text collate "C" NOT NULL,
	"meter_id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"group_key" text collate "C" NOT NULL,
	"events" bigint NOT NULL,
	"sum" text collate "C",
	"moment" text collate "C",
	"highest" text collate "C",
	"lowest" text collate "C",
	"latest" text collate "C",
	"latest_at" timestamp (3) with time zone,
	"latest_id" text collate "C",
	CONSTRAINT "backfill_buckets_tenant_alias_meter_id_customer_id_starts_at_group_key_pk" PRIMARY KEY("tenant_alias","meter_id","customer_id","starts_at","group_key")
);
--> statement-breakpoint
CREATE TABLE "backfill_values" (
	"tenant_alias" text collate "C" NOT NULL,
	"meter_id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"group_key" text collate "C" NOT NULL,
	"value" text collate "C" NOT NULL,
	CONSTRAINT "backfill_values_tenant_alias_meter_id_customer_id_starts_at_group_key_value_pk" PRIMARY KEY("tenant_alias","meter_id","customer_id","starts_at","group_key","value")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "usage_retention_days" bigint;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "usage_forgotten_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "meters" ADD COLUMN "earlier_versions" json;--> statement-breakpoint
ALTER TABLE "usage_events" ADD COLUMN "backfilled" boolean;--> statement-breakpoint
ALTER TABLE "backfill_buckets" ADD CONSTRAINT "backfill_buckets_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "backfill_values" ADD CONSTRAINT "backfill_values_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backfill_buckets_time" ON "backfill_buckets" USING btree ("tenant_alias","meter_id","starts_at");--> statement-breakpoint
CREATE INDEX "usage_periods_begun" ON "usage_periods" USING btree ("tenant_alias","starts_at","id");