ALTER TABLE "intents" ADD COLUMN "decline_code" text collate "C";--> statement-breakpoint
ALTER TABLE "payments" ADD COLUMN "decline_code" text collate "C";