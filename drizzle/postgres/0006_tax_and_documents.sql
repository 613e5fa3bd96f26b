CREATE TABLE "credit_notes" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"document_number" text collate "C" NOT NULL,
	"invoice_id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"reason" text collate "C",
	"memo" text collate "C",
	"currency" text collate "C" NOT NULL,
	"total_minor" bigint NOT NULL,
	"taxes" json,
	"lines" json NOT NULL,
	"payment_id" text collate "C",
	"issued_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "credit_notes_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "tax_rates" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"name" text collate "C",
	"country" text collate "C" NOT NULL,
	"region" text collate "C",
	"postcode" text collate "C",
	"tax_code" text collate "C",
	"category" text collate "C" NOT NULL,
	"percent" text collate "C" NOT NULL,
	"effective_from" timestamp (3) with time zone NOT NULL,
	"archived_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "tax_rates_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "number_counters" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"value" bigint NOT NULL,
	CONSTRAINT "number_counters_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "documents" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"record" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "documents_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
CREATE TABLE "logos" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"content_type" text collate "C" NOT NULL,
	"base64" text collate "C" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "logos_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "seller" json;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "invoice_grace_hours" bigint;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "number_series" json;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "company_name" text collate "C";--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "address" json;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "tax_ids" json;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "tax_exempt" boolean;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "locale" text collate "C";--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "tax_rate_id" text collate "C";--> statement-breakpoint
ALTER TABLE "products" ADD COLUMN "tax_code" text collate "C";--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "tax_behavior" text collate "C";--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "tax_behavior" text collate "C";--> statement-breakpoint
ALTER TABLE "intents" ADD COLUMN "tax" json;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD COLUMN "tax_behavior" text collate "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "taxes" json;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "document_number" text collate "C";--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "issued_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "finalize_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "credited_minor" bigint;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "uncharged_minor" bigint;--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD COLUMN "tax" json;--> statement-breakpoint
ALTER TABLE "invoice_lines" ADD COLUMN "product_id" text collate "C";--> statement-breakpoint
ALTER TABLE "invoice_items" ADD COLUMN "tax_behavior" text collate "C";--> statement-breakpoint
ALTER TABLE "invoice_items" ADD COLUMN "tax_terms" json;--> statement-breakpoint
ALTER TABLE "credit_notes" ADD CONSTRAINT "credit_notes_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_notes" ADD CONSTRAINT "credit_notes_invoice_id_fk" FOREIGN KEY ("tenant_alias","invoice_id") REFERENCES "public"."invoices"("tenant_alias","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tax_rates" ADD CONSTRAINT "tax_rates_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "number_counters" ADD CONSTRAINT "number_counters_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "documents" ADD CONSTRAINT "documents_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "logos" ADD CONSTRAINT "logos_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "credit_notes_document_number" ON "credit_notes" USING btree ("tenant_alias","document_number");--> statement-breakpoint
CREATE INDEX "credit_notes_created" ON "credit_notes" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "credit_notes_invoice" ON "credit_notes" USING btree ("tenant_alias","invoice_id","created_at","id");--> statement-breakpoint
CREATE INDEX "credit_notes_customer" ON "credit_notes" USING btree ("tenant_alias","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "credit_notes_payment" ON "credit_notes" USING btree ("tenant_alias","payment_id") WHERE payment_id is not null;--> statement-breakpoint
CREATE INDEX "tax_rates_created" ON "tax_rates" USING btree ("tenant_alias","created_at","id");--> statement-breakpoint
CREATE INDEX "tax_rates_country" ON "tax_rates" USING btree ("tenant_alias","country","created_at","id");--> statement-breakpoint
CREATE INDEX "documents_customer" ON "documents" USING btree ("tenant_alias","customer_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_document_number" ON "invoices" USING btree ("tenant_alias","document_number") WHERE document_number is not null;--> statement-breakpoint
CREATE INDEX "invoices_finalizing" ON "invoices" USING btree ("tenant_alias","finalize_at","id") WHERE finalize_at is not null;