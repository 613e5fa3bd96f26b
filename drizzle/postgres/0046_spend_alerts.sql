ALTER TABLE "tenants" ADD COLUMN "spend_alerts_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "spend_alerts" json;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "spend_alerted" json;--> statement-breakpoint
CREATE INDEX "subscriptions_spend_alerts" ON "subscriptions" USING btree ("tenant_alias","customer_id") WHERE cancelled_at is null and spend_alerts is not null;