CREATE TABLE "credit_types" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"rates" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "credit_types_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "auto_top_ups" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"pool" text collate "C" NOT NULL,
	"currency" text collate "C" NOT NULL,
	"credit_type_id" text collate "C",
	"name" text collate "C" NOT NULL,
	"threshold_minor" bigint NOT NULL,
	"amount_minor" bigint NOT NULL,
	"cost_basis" text collate "C" NOT NULL,
	"expires_after" json,
	"monthly_limit" bigint NOT NULL,
	"check_at" timestamp (3) with time zone,
	"last_invoice_id" text collate "C",
	"month" text collate "C",
	"sold_in_month" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auto_top_ups_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "credit_type_id" text collate "C";--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "breakage_minor" bigint;--> statement-breakpoint
ALTER TABLE "credit_types" ADD CONSTRAINT "credit_types_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auto_top_ups" ADD CONSTRAINT "auto_top_ups_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credit_types_created" ON "credit_types" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "auto_top_ups_customer" ON "auto_top_ups" USING btree ("tenant_alias","customer_id","pool");--> statement-breakpoint
CREATE INDEX "auto_top_ups_created" ON "auto_top_ups" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "auto_top_ups_due" ON "auto_top_ups" USING btree ("tenant_alias","check_at","id") WHERE check_at is not null;--> statement-breakpoint
CREATE INDEX "balance_entries_breakage" ON "balance_entries" USING btree ("tenant_alias","currency","created_at","id") WHERE breakage_minor is not null;