-- Statuses, event names and filters are spelled `cancelled`. Traces keep the words they were recorded with.
UPDATE "intents" SET "status" = 'cancelled' WHERE "status" = 'canceled';--> statement-breakpoint
UPDATE "webhook_deliveries" SET "status" = 'cancelled' WHERE "status" = 'canceled';--> statement-breakpoint
UPDATE "webhook_deliveries" SET "type" = 'IntentEvent.cancelled' WHERE "type" = 'IntentEvent.canceled';--> statement-breakpoint
UPDATE "webhook_endpoints" SET "events" = replace("events"::text, '.canceled"', '.cancelled"')::json WHERE "events"::text LIKE '%.canceled"%';--> statement-breakpoint
-- Payload queries: the type `Subscription` is called `SubscriptionContract`.
UPDATE "webhook_endpoints" SET "query" = regexp_replace("query", '\mon(\s+)Subscription\M', 'on\1SubscriptionContract', 'g') WHERE "query" LIKE '%on%Subscription%';
