ALTER TABLE "customers" ADD COLUMN "buyer_reference" text collate "C";--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "electronic_address" json;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "legal_registration" json;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "document_format" text collate "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "purchase_order" text collate "C";