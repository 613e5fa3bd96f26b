CREATE TABLE "vat_id_checks" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"vat_id" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL,
	"consultation" text collate "C",
	"requester" text collate "C",
	"name" text collate "C",
	"address" text collate "C",
	CONSTRAINT "vat_id_checks_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
DROP INDEX "customers_vat_id_check";--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "vat_id_status" text collate "C";--> statement-breakpoint
ALTER TABLE "vat_id_checks" ADD CONSTRAINT "vat_id_checks_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "vat_id_checks_customer" ON "vat_id_checks" USING btree ("tenant_alias","customer_id","id");--> statement-breakpoint
CREATE INDEX "customers_vat_id_status" ON "customers" USING btree ("tenant_alias","vat_id_status","created_at","id") WHERE vat_id_status is not null;--> statement-breakpoint
CREATE INDEX "customers_vat_id_check" ON "customers" USING btree ("tenant_alias","vat_id_status","vat_id_check_due_at","id") WHERE vat_id_check_due_at is not null;--> statement-breakpoint
-- Data: the status by which lists find the VAT ids that are known, and their answers as evidence.
UPDATE "customers" SET "vat_id_status" = coalesce("vat_id_check" ->> 'status', 'unavailable')
  WHERE "vat_id_check" IS NOT NULL OR "vat_id_check_due_at" IS NOT NULL;--> statement-breakpoint
INSERT INTO "vat_id_checks" ("tenant_alias", "id", "customer_id", "vat_id", "status", "checked_at", "consultation")
  SELECT "tenant_alias", 'vic_' || substr("id", 5), "id", "vat_id_check" ->> 'value', "vat_id_status",
    ("vat_id_check" ->> 'checkedAt')::timestamptz, "vat_id_check" ->> 'consultation'
  FROM "customers" WHERE "vat_id_check" IS NOT NULL AND "vat_id_status" IN ('valid', 'invalid');--> statement-breakpoint
-- A quarter after the answer, spread over ten days.
UPDATE "customers" SET "vat_id_check_due_at" = ("vat_id_check" ->> 'checkedAt')::timestamptz + interval '80 days' + ('x' || substr(md5("id"), 1, 6))::bit(24)::integer % 864000 * interval '1 second'
  WHERE "vat_id_status" = 'valid' AND "vat_id_check_due_at" IS NULL;
