DROP INDEX "discounts_customer";--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "customer_id" text collate "C";--> statement-breakpoint
-- Data: the customers whom the events concern.
UPDATE "traces" SET "customer_id" =
  CASE "activity_type" WHEN 'CustomerEvent' THEN "resource_id" ELSE "payload" #>> '{object,customerId}' END;--> statement-breakpoint
CREATE INDEX "traces_customer" ON "traces" USING btree ("tenant_alias","customer_id","event_id") WHERE customer_id is not null;--> statement-breakpoint
CREATE INDEX "discounts_created" ON "discounts" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "intents_created" ON "intents" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "intents_status" ON "intents" USING btree ("tenant_alias","status","created_at","id");--> statement-breakpoint
CREATE INDEX "payments_created" ON "payments" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "payments_customer" ON "payments" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "payments_failed" ON "payments" USING btree ("tenant_alias","created_at","id") WHERE status in ('failed');--> statement-breakpoint
CREATE INDEX "payments_refunds" ON "payments" USING btree ("tenant_alias","created_at","id") WHERE kind in ('refund');--> statement-breakpoint
CREATE INDEX "payments_disputes" ON "payments" USING btree ("tenant_alias","created_at","id") WHERE kind in ('dispute');--> statement-breakpoint
CREATE INDEX "balance_entries_credits" ON "balance_entries" USING btree ("tenant_alias","created_at","id") WHERE kind = 'credit';--> statement-breakpoint
CREATE INDEX "balance_entries_customer_credits" ON "balance_entries" USING btree ("tenant_alias","customer_id","created_at","id") WHERE kind = 'credit';--> statement-breakpoint
CREATE INDEX "invoice_items_created" ON "invoice_items" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "invoice_items_unbilled" ON "invoice_items" USING btree ("tenant_alias","created_at","id") WHERE invoice_id is null and removed_at is null;--> statement-breakpoint
CREATE INDEX "discounts_customer" ON "discounts" USING btree ("tenant_alias","customer_id","created_at","id");