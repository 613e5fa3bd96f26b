CREATE TABLE "usage_totals" (
	"tenant_alias" text collate "C" NOT NULL,
	"meter_id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"events" bigint NOT NULL,
	"sum" text collate "C" NOT NULL,
	CONSTRAINT "usage_totals_tenant_alias_meter_id_customer_id_starts_at_ends_at_pk" PRIMARY KEY("tenant_alias","meter_id","customer_id","starts_at","ends_at")
);
--> statement-breakpoint
CREATE TABLE "features" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"key" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"meter_id" text collate "C",
	"archived_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "features_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "product_entitlements" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"product_id" text collate "C" NOT NULL,
	"feature" text collate "C" NOT NULL,
	"terms" json,
	"since" timestamp (3) with time zone NOT NULL,
	"reach" text collate "C" NOT NULL,
	"earlier" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "product_entitlements_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "entitlement_overrides" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"feature" text collate "C" NOT NULL,
	"terms" json NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "entitlement_overrides_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "reservations" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"request_id" text collate "C",
	"customer_id" text collate "C" NOT NULL,
	"feature" text collate "C" NOT NULL,
	"meter_id" text collate "C" NOT NULL,
	"amount" text collate "C" NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"open_until" timestamp (3) with time zone,
	"settled_amount" text collate "C",
	"closed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reservations_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "meters" ADD COLUMN "totals_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "usage_totals" ADD CONSTRAINT "usage_totals_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "features" ADD CONSTRAINT "features_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "product_entitlements" ADD CONSTRAINT "product_entitlements_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "entitlement_overrides" ADD CONSTRAINT "entitlement_overrides_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reservations" ADD CONSTRAINT "reservations_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "usage_totals_end" ON "usage_totals" USING btree ("tenant_alias","ends_at");--> statement-breakpoint
CREATE UNIQUE INDEX "features_key" ON "features" USING btree ("tenant_alias","key");--> statement-breakpoint
CREATE INDEX "features_created" ON "features" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "features_kind" ON "features" USING btree ("tenant_alias","kind","created_at","id");--> statement-breakpoint
CREATE INDEX "features_meter" ON "features" USING btree ("tenant_alias","meter_id","id") WHERE meter_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "product_entitlements_product" ON "product_entitlements" USING btree ("tenant_alias","product_id","feature");--> statement-breakpoint
CREATE UNIQUE INDEX "entitlement_overrides_customer" ON "entitlement_overrides" USING btree ("tenant_alias","customer_id","feature");--> statement-breakpoint
CREATE INDEX "entitlement_overrides_listed" ON "entitlement_overrides" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "reservations_open" ON "reservations" USING btree ("tenant_alias","customer_id","feature","open_until") WHERE open_until is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "reservations_request" ON "reservations" USING btree ("tenant_alias","request_id") WHERE request_id is not null;--> statement-breakpoint
CREATE INDEX "reservations_customer" ON "reservations" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "reservations_created" ON "reservations" USING btree ("tenant_alias","created_at","id");