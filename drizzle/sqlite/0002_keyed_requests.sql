ALTER TABLE `idempotency` ADD `progress` text;--> statement-breakpoint
ALTER TABLE `idempotency` ADD `owner` text;--> statement-breakpoint
ALTER TABLE `idempotency` ADD `claimed_until` text;--> statement-breakpoint
CREATE INDEX `idempotency_claimed` ON `idempotency` (`tenant_alias`,`claimed_until`) WHERE outcome is null;