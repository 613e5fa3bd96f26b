ALTER TABLE "discounts" ADD COLUMN "end_recorded_for" timestamp (3) with time zone;--> statement-breakpoint
-- Ends that have passed stay without an event. A test tenant has a clock of its own.
UPDATE "discounts" SET "end_recorded_for" = "ends_at" WHERE "ends_at" <=
  coalesce((SELECT "clock_at" FROM "tenants" WHERE "alias" = "tenant_alias"), now());--> statement-breakpoint
CREATE INDEX "discounts_ending" ON "discounts" USING btree ("tenant_alias","ends_at","id") WHERE ends_at is not null and removed_at is null and (end_recorded_for is null or end_recorded_for <> ends_at);