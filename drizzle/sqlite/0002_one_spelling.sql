-- Statuses, event names and filters are spelled `cancelled`. Traces keep the words they were recorded with.
UPDATE `intents` SET `status` = 'cancelled' WHERE `status` = 'canceled';--> statement-breakpoint
UPDATE `webhook_deliveries` SET `status` = 'cancelled' WHERE `status` = 'canceled';--> statement-breakpoint
UPDATE `webhook_deliveries` SET `type` = 'IntentEvent.cancelled' WHERE `type` = 'IntentEvent.canceled';--> statement-breakpoint
UPDATE `webhook_endpoints` SET `events` = replace(`events`, '.canceled"', '.cancelled"') WHERE `events` LIKE '%.canceled"%';--> statement-breakpoint
-- Payload queries: the type `Subscription` is called `SubscriptionContract`.
UPDATE `webhook_endpoints` SET `query` = replace(replace(replace(replace(replace(replace(`query`, 'on Subscription ', 'on SubscriptionContract '), 'on Subscription{', 'on SubscriptionContract{'), 'on Subscription@', 'on SubscriptionContract@'), 'on Subscription' || char(10), 'on SubscriptionContract' || char(10)), 'on Subscription' || char(13), 'on SubscriptionContract' || char(13)), 'on Subscription' || char(9), 'on SubscriptionContract' || char(9)) WHERE `query` LIKE '%on Subscription%';
