ALTER TABLE `tenants` ADD `document_retention_years` integer;--> statement-breakpoint
ALTER TABLE `documents` ADD `retained_until` text;--> statement-breakpoint
CREATE INDEX `documents_retained` ON `documents` (`tenant_alias`,`retained_until`,`id`) WHERE retained_until is not null;