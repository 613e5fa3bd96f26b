DROP INDEX "products_created";--> statement-breakpoint
DROP INDEX "subscriptions_one_in_group";--> statement-breakpoint
DROP INDEX "subscriptions_one_of_product";--> statement-breakpoint
ALTER TABLE "balance_entries" ALTER COLUMN "invoice_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "name_lower" text collate "C";--> statement-breakpoint
ALTER TABLE "idempotency" ADD COLUMN "progress" text collate "C";--> statement-breakpoint
ALTER TABLE "idempotency" ADD COLUMN "owner" text collate "C";--> statement-breakpoint
ALTER TABLE "idempotency" ADD COLUMN "claimed_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "balance_minor" bigint;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "credited_line_id" text collate "C";--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "credited_minor" bigint;--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "given_back_minor" bigint;--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD COLUMN "credited_line_id" text collate "C";--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD COLUMN "credited_minor" bigint;--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD COLUMN "refunded_minor" bigint;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "to_balance_minor" bigint;--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "name_lower" text collate "C";--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "cancel_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "payment_providers" json;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "payment_terms_days" bigint;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "bank_account" json;--> statement-breakpoint
ALTER TABLE "traces" ADD COLUMN "resource_id" text collate "C";--> statement-breakpoint
CREATE INDEX "customers_email" ON "customers" USING btree ("tenant_alias","email","created_at","id");--> statement-breakpoint
CREATE INDEX "idempotency_claimed" ON "idempotency" USING btree ("tenant_alias","claimed_until") WHERE outcome is null;--> statement-breakpoint
CREATE INDEX "invoices_status" ON "invoices" USING btree ("tenant_alias","status","created_at","id");--> statement-breakpoint
CREATE INDEX "products_active" ON "products" USING btree ("tenant_alias","active","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "products_listed_in_group" ON "products" USING btree ("tenant_alias","group_id","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "subscriptions_unpaid" ON "subscriptions" USING btree ("tenant_alias","created_at","id") WHERE cancelled_at is null and paused_at is null and current_period_end is null;--> statement-breakpoint
CREATE INDEX "subscriptions_running" ON "subscriptions" USING btree ("tenant_alias","created_at","id") WHERE cancelled_at is null and paused_at is null and current_period_end is not null and past_due_since is null;--> statement-breakpoint
CREATE INDEX "subscriptions_past_due" ON "subscriptions" USING btree ("tenant_alias","created_at","id") WHERE cancelled_at is null and paused_at is null and current_period_end is not null and past_due_since is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_paused" ON "subscriptions" USING btree ("tenant_alias","created_at","id") WHERE cancelled_at is null and paused_at is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_cancelled" ON "subscriptions" USING btree ("tenant_alias","created_at","id") WHERE cancelled_at is not null;--> statement-breakpoint
CREATE INDEX "subscriptions_scheduled" ON "subscriptions" USING btree ("tenant_alias","next_intent_id") WHERE next_intent_id is not null;--> statement-breakpoint
CREATE INDEX "traces_activity" ON "traces" USING btree ("tenant_alias","activity_type","created_at","event_id");--> statement-breakpoint
CREATE INDEX "traces_followed_resource" ON "traces" USING btree ("tenant_alias","resource_id","event_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_event" ON "webhook_deliveries" USING btree ("tenant_alias","event_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_status" ON "webhook_deliveries" USING btree ("tenant_alias","status","created_at","id");--> statement-breakpoint
CREATE INDEX "products_created" ON "products" USING btree ("tenant_alias","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_one_in_group" ON "subscriptions" USING btree ("tenant_alias","group_id","customer_id") WHERE cancelled_at is null and group_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "subscriptions_one_of_product" ON "subscriptions" USING btree ("tenant_alias","product_id","customer_id") WHERE cancelled_at is null;--> statement-breakpoint
-- Statuses, event names and filters are spelled `cancelled`. Traces keep the words they were recorded with.
UPDATE "intents" SET "status" = 'cancelled' WHERE "status" = 'canceled';
--> statement-breakpoint
UPDATE "webhook_deliveries" SET "status" = 'cancelled' WHERE "status" = 'canceled';
--> statement-breakpoint
UPDATE "webhook_deliveries" SET "type" = 'IntentEvent.cancelled' WHERE "type" = 'IntentEvent.canceled';
--> statement-breakpoint
UPDATE "webhook_endpoints" SET "events" = replace("events"::text, '.canceled"', '.cancelled"')::json WHERE "events"::text LIKE '%.canceled"%';
--> statement-breakpoint
-- Payload queries: the type `Subscription` is called `SubscriptionContract`.
UPDATE "webhook_endpoints" SET "query" = regexp_replace("query", '\mon(\s+)Subscription\M', 'on\1SubscriptionContract', 'g') WHERE "query" LIKE '%on%Subscription%';
--> statement-breakpoint
-- Data: each credit names the line whose unused time it gave back: the period that was paid last before it.
UPDATE "invoice_lines" SET "credited_line_id" = (
  SELECT "billed"."id" FROM "invoices" AS "change"
  JOIN "invoices" AS "earlier" ON "earlier"."tenant_alias" = "change"."tenant_alias"
    AND "earlier"."subscription_id" = "change"."subscription_id"
    AND "earlier"."status" = 'paid' AND "earlier"."number" < "change"."number"
  JOIN "invoice_lines" AS "billed" ON "billed"."tenant_alias" = "earlier"."tenant_alias"
    AND "billed"."invoice_id" = "earlier"."id"
    AND "billed"."kind" IN ('CYCLE', 'STUB', 'PRORATION_CHARGE')
    AND "billed"."period_end" = "invoice_lines"."period_end"
  WHERE "change"."tenant_alias" = "invoice_lines"."tenant_alias" AND "change"."id" = "invoice_lines"."invoice_id"
  ORDER BY "earlier"."number" DESC LIMIT 1
) WHERE "kind" = 'PRORATION_CREDIT';
--> statement-breakpoint
-- Data: what plan changes have credited of each line.
UPDATE "invoice_lines" SET "credited_minor" = "given"."amount" FROM (
  SELECT "line"."tenant_alias", "line"."credited_line_id", (-sum("line"."amount_minor"))::bigint AS "amount"
  FROM "invoice_lines" AS "line"
  JOIN "invoices" AS "invoice" ON "invoice"."tenant_alias" = "line"."tenant_alias" AND "invoice"."id" = "line"."invoice_id"
  WHERE "line"."credited_line_id" IS NOT NULL AND "invoice"."status" IN ('open', 'paid')
  GROUP BY "line"."tenant_alias", "line"."credited_line_id"
) AS "given"
WHERE "given"."tenant_alias" = "invoice_lines"."tenant_alias" AND "given"."credited_line_id" = "invoice_lines"."id";
--> statement-breakpoint
-- Data: what refunds have given back of each line; an invoice has billed one period so far.
UPDATE "invoice_lines" SET "refunded_minor" = "invoice"."refunded_minor" FROM "invoices" AS "invoice"
WHERE "invoice"."tenant_alias" = "invoice_lines"."tenant_alias" AND "invoice"."id" = "invoice_lines"."invoice_id"
  AND "invoice"."refunded_minor" > 0 AND "invoice_lines"."kind" IN ('CYCLE', 'STUB', 'PRORATION_CHARGE');
--> statement-breakpoint
-- Data: what plan changes that wait for money have reserved.
UPDATE "intents" SET "credited_line_id" = "waiting"."credited_line_id", "credited_minor" = "waiting"."amount",
  "given_back_minor" = 0
FROM (
  SELECT "invoice"."tenant_alias", "invoice"."intent_id", "line"."credited_line_id", -"line"."amount_minor" AS "amount"
  FROM "invoices" AS "invoice"
  JOIN "invoice_lines" AS "line" ON "line"."tenant_alias" = "invoice"."tenant_alias"
    AND "line"."invoice_id" = "invoice"."id" AND "line"."credited_line_id" IS NOT NULL
  WHERE "invoice"."status" = 'open' AND "invoice"."intent_id" IS NOT NULL
) AS "waiting"
WHERE "waiting"."tenant_alias" = "intents"."tenant_alias" AND "waiting"."intent_id" = "intents"."id"
  AND "intents"."status" IN ('processing', 'requires_action');
--> statement-breakpoint
-- fill: groups.name_lower = lower(name)
--> statement-breakpoint
-- fill: products.name_lower = lower(name)
--> statement-breakpoint
UPDATE "traces" SET "resource_id" = "payload" ->> 'resourceId';
