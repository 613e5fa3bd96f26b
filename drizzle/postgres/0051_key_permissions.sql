ALTER TABLE "api_keys" ADD COLUMN "permissions" json;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "ip_allowlist" json;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_from" text collate "C";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_refusal" json;