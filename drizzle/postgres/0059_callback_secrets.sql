ALTER TABLE "accounts" ADD COLUMN "callback_secret" text collate "C";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "previous_callback_secret" text collate "C";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "previous_callback_secret_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "e_invoice_deliveries" ADD COLUMN "report_ids" json;