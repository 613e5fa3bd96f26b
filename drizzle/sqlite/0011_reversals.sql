ALTER TABLE `invoices` ADD `withdrawn_minor` integer;--> statement-breakpoint
ALTER TABLE `payments` ADD `dispute_status` text;--> statement-breakpoint
ALTER TABLE `payments` ADD `dispute_reason` text;--> statement-breakpoint
ALTER TABLE `payments` ADD `evidence_due_at` text;