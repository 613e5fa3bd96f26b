ALTER TABLE "tenants" ADD COLUMN "document_retention_years" bigint;--> statement-breakpoint
ALTER TABLE "documents" ADD COLUMN "retained_until" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "documents_retained" ON "documents" USING btree ("tenant_alias","retained_until","id") WHERE retained_until is not null;