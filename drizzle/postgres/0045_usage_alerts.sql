CREATE TABLE "limit_checks" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	CONSTRAINT "limit_checks_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "limit_alerts" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"feature" text collate "C" NOT NULL,
	"period_start" timestamp (3) with time zone NOT NULL,
	"percent" bigint NOT NULL,
	CONSTRAINT "limit_alerts_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "meters" ADD COLUMN "alerts_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "features" ADD COLUMN "alert_percents" json;--> statement-breakpoint
ALTER TABLE "limit_checks" ADD CONSTRAINT "limit_checks_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "limit_alerts" ADD CONSTRAINT "limit_alerts_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "limit_checks_customer" ON "limit_checks" USING btree ("tenant_alias","customer_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "limit_alerts_customer" ON "limit_alerts" USING btree ("tenant_alias","customer_id","feature","period_start");