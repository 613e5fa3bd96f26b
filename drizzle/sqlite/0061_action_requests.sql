CREATE TABLE `action_requests` (
	`tenant_alias` text NOT NULL,
	`id` text NOT NULL,
	`operation` text NOT NULL,
	`input` text NOT NULL,
	`reason` text,
	`preview` text NOT NULL,
	`customer_id` text,
	`requested_by` text NOT NULL,
	`requested_by_name` text,
	`requested_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`status` text NOT NULL,
	`decided_by` text,
	`decided_by_name` text,
	`decided_at` text,
	`decline_reason` text,
	`completed_at` text,
	`result_id` text,
	`failure` text,
	PRIMARY KEY(`tenant_alias`, `id`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `action_requests_requested` ON `action_requests` (`tenant_alias`,`requested_at`,`id`);--> statement-breakpoint
CREATE INDEX `action_requests_status` ON `action_requests` (`tenant_alias`,`status`,`requested_at`,`id`);--> statement-breakpoint
CREATE INDEX `action_requests_operation` ON `action_requests` (`tenant_alias`,`operation`,`requested_at`,`id`);--> statement-breakpoint
CREATE INDEX `action_requests_requester` ON `action_requests` (`tenant_alias`,`requested_by`,`requested_at`,`id`);--> statement-breakpoint
CREATE INDEX `action_requests_customer` ON `action_requests` (`tenant_alias`,`customer_id`,`requested_at`,`id`);--> statement-breakpoint
CREATE INDEX `action_requests_expiry` ON `action_requests` (`tenant_alias`,`expires_at`,`id`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `action_requests_begun` ON `action_requests` (`tenant_alias`,`decided_at`,`id`) WHERE status = 'approved' and completed_at is null;