ALTER TABLE `api_keys` ADD `permissions` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `ip_allowlist` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `last_used_from` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `last_refusal` text;