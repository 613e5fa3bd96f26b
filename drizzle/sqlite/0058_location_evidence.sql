ALTER TABLE `customers` ADD `location_evidence` text;--> statement-breakpoint
ALTER TABLE `payment_methods` ADD `country` text;--> statement-breakpoint
ALTER TABLE `invoices` ADD `evidence_gap` text;--> statement-breakpoint
CREATE INDEX `invoices_evidence_gap` ON `invoices` (`tenant_alias`,`evidence_gap`,`created_at`,`id`) WHERE evidence_gap is not null;--> statement-breakpoint
ALTER TABLE `documents` ADD `evidence` text;