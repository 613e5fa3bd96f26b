DROP INDEX "products_created";--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "name_lower" text collate "C";--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "name_lower" text collate "C";--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "resource_id" text collate "C";--> statement-breakpoint
CREATE INDEX "customers_email" ON "customers" USING btree ("tenant_alias","email","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_status" ON "invoices" USING btree ("tenant_alias","status","created_at","id");--> statement-breakpoint
CREATE INDEX "products_active" ON "products" USING btree ("tenant_alias","active","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "products_listed_in_group" ON "products" USING btree ("tenant_alias","group_id","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "subscriptions_running" ON "subscriptions" USING btree ("tenant_alias","created_at","id") WHERE cancelled_at is null and paused_at is null and past_due_since is null;--> statement-breakpoint
CREATE INDEX "subscriptions_past_due" ON "subscriptions" USING btree ("tenant_alias","created_at","id") WHERE cancelled_at is null and paused_at is null and past_due_since is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_paused" ON "subscriptions" USING btree ("tenant_alias","created_at","id") WHERE cancelled_at is null and paused_at is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_cancelled" ON "subscriptions" USING btree ("tenant_alias","created_at","id") WHERE cancelled_at is not null;--> statement-breakpoint
CREATE INDEX "traces_activity" ON "traces" USING btree ("tenant_alias","activity_type","created_at","event_id");--> statement-breakpoint
CREATE INDEX "traces_followed_activity" ON "traces" USING btree ("tenant_alias","activity_type","event_id");--> statement-breakpoint
CREATE INDEX "traces_followed_executor" ON "traces" USING btree ("tenant_alias","executor_id","event_id");--> statement-breakpoint
CREATE INDEX "traces_followed_resource" ON "traces" USING btree ("tenant_alias","resource_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("tenant_alias","event_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_status" ON "webhook_deliveries" USING btree ("tenant_alias","status","created_at","id");--> statement-breakpoint
CREATE INDEX "products_created" ON "products" USING btree ("tenant_alias","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
-- fill: groups.name_lower = lower(name)
--> statement-breakpoint
-- fill: products.name_lower = lower(name)
--> statement-breakpoint
UPDATE "traces" SET "resource_id" = "payload" ->> 'resourceId';