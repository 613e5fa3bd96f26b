ALTER TABLE "intents" ADD COLUMN "spend_alerts" json;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "alert_below_minor" bigint;--> statement-breakpoint
ALTER TABLE "balance_entries" ADD COLUMN "alerted_below_at" timestamp (3) with time zone;