CREATE TABLE "meters" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"event" text collate "C" NOT NULL,
	"aggregation" text collate "C" NOT NULL,
	"value" text collate "C",
	"group_by" json NOT NULL,
	"filter" json NOT NULL,
	"persistent" boolean NOT NULL,
	"unit_multiplier" text collate "C" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "meters_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "usage_events" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"event" text collate "C" NOT NULL,
	"customer_id" text collate "C",
	"associated_id" text collate "C",
	"at" timestamp (3) with time zone NOT NULL,
	"properties" json NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"voided_at" timestamp (3) with time zone,
	CONSTRAINT "usage_events_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "usage_ids" (
	"tenant_alias" text collate "C" NOT NULL,
	"span" text collate "C" NOT NULL,
	"event_id" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	CONSTRAINT "usage_ids_tenant_alias_span_event_id_pk" PRIMARY KEY("tenant_alias","span","event_id")
);
--> statement-breakpoint
CREATE TABLE "usage_buckets" (
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
	CONSTRAINT "usage_buckets_tenant_alias_meter_id_customer_id_starts_at_group_key_pk" PRIMARY KEY("tenant_alias","meter_id","customer_id","starts_at","group_key")
);
--> statement-breakpoint
CREATE TABLE "usage_values" (
	"tenant_alias" text collate "C" NOT NULL,
	"meter_id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"group_key" text collate "C" NOT NULL,
	"value" text collate "C" NOT NULL,
	CONSTRAINT "usage_values_tenant_alias_meter_id_customer_id_starts_at_group_key_value_pk" PRIMARY KEY("tenant_alias","meter_id","customer_id","starts_at","group_key","value")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "usage_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "meters" ADD CONSTRAINT "meters_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_events" ADD CONSTRAINT "usage_events_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_ids" ADD CONSTRAINT "usage_ids_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_buckets" ADD CONSTRAINT "usage_buckets_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "usage_values" ADD CONSTRAINT "usage_values_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "meters_created" ON "meters" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "meters_event" ON "meters" USING btree ("tenant_alias","event","created_at","id");--> statement-breakpoint
CREATE INDEX "usage_events_customer" ON "usage_events" USING btree ("tenant_alias","customer_id","at","id") WHERE customer_id is not null;--> statement-breakpoint
CREATE INDEX "usage_events_waiting" ON "usage_events" USING btree ("tenant_alias","associated_id","id") WHERE customer_id is null;--> statement-breakpoint
CREATE INDEX "usage_buckets_time" ON "usage_buckets" USING btree ("tenant_alias","meter_id","starts_at");