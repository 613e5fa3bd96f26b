ALTER TABLE "operator_sessions" ADD COLUMN "by_link" boolean;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "default_currency" text collate "C";