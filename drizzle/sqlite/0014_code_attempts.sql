CREATE TABLE `code_attempts` (
	`tenant_alias` text NOT NULL,
	`subject_hash` text NOT NULL,
	`failures` integer NOT NULL,
	`ends_at` text NOT NULL,
	PRIMARY KEY(`tenant_alias`, `subject_hash`),
	FOREIGN KEY (`tenant_alias`) REFERENCES `tenants`(`alias`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `code_attempts_end` ON `code_attempts` (`tenant_alias`,`ends_at`,`subject_hash`);