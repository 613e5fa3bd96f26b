ALTER TABLE `discounts` ADD `end_recorded_for` text;--> statement-breakpoint
-- Ends that have passed stay without an event. A test tenant has a clock of its own.
UPDATE `discounts` SET `end_recorded_for` = `ends_at` WHERE `ends_at` <=
  coalesce((SELECT `clock_at` FROM `tenants` WHERE `alias` = `tenant_alias`), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));--> statement-breakpoint
CREATE INDEX `discounts_ending` ON `discounts` (`tenant_alias`,`ends_at`,`id`) WHERE ends_at is not null and removed_at is null and (end_recorded_for is null or end_recorded_for <> ends_at);