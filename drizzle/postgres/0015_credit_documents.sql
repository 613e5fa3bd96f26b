DROP INDEX "invoices_document_number";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "document_kind" text collate "C";--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_credit_number" ON "invoices" USING btree ("tenant_alias","document_number") WHERE document_kind = 'credit_note';--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_document_number" ON "invoices" USING btree ("tenant_alias","document_number") WHERE document_number is not null and document_kind is null;