ALTER TABLE `api_keys` ADD `name` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `last_used_at` text;--> statement-breakpoint
CREATE INDEX `api_keys_created` ON `api_keys` (`tenant_alias`,`created_at`,`id`);