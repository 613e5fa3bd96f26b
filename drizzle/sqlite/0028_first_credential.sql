ALTER TABLE `operator_sessions` ADD `by_link` integer;--> statement-breakpoint
ALTER TABLE `tenants` ADD `default_currency` text;