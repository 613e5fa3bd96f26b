DROP INDEX "invoices_cycle";--> statement-breakpoint
DROP INDEX "invoices_charging";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "retry_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "invoices_retries" ON "invoices" USING btree ("tenant_alias","retry_at","id") WHERE status = 'open' and retry_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_cycle" ON "invoices" USING btree ("tenant_alias","subscription_id","cycle_start") WHERE billing_reason not in ('plan_change', 'subscription_end');--> statement-breakpoint
CREATE INDEX "invoices_charging" ON "invoices" USING btree ("tenant_alias","charge_started_at","id") WHERE charge_started_at is not null and billing_reason in ('one_off', 'subscription_end');