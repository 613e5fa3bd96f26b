ALTER TABLE "tenants" ADD COLUMN "allowed_origins" json;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "kind" text collate "C";