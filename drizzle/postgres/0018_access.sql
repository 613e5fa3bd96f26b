ALTER TABLE "intents" ADD COLUMN "has_secret_link" boolean;--> statement-breakpoint
ALTER TABLE "portal_sessions" ADD COLUMN "permissions" json;