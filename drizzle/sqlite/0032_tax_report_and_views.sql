ALTER TABLE `invoices` ADD `tax_country` text;--> statement-breakpoint
CREATE INDEX `invoices_issued_later` ON `invoices` (`tenant_alias`,`issued_at`,`id`) WHERE issued_at <> created_at;--> statement-breakpoint
ALTER TABLE `operator_memberships` ADD `views` text;