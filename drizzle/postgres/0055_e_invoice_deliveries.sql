CREATE TABLE "e_invoice_deliveries" (
	"tenant_alias" text collate "C" NOT NULL,
	"id" text collate "C" NOT NULL,
	"kind" text collate "C" NOT NULL,
	"customer_id" text collate "C" NOT NULL,
	"format" text collate "C" NOT NULL,
	"status" text collate "C" NOT NULL,
	"attempt" bigint NOT NULL,
	"tries" json NOT NULL,
	"edition" bigint NOT NULL,
	"due_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	"body" text collate "C",
	"reference" text collate "C",
	"last_error" text collate "C",
	"created_at" timestamp (3) with time zone NOT NULL,
	"status_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "e_invoice_deliveries_tenant_alias_id_pk" PRIMARY KEY("tenant_alias","id")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "e_invoice_formats" json;--> statement-breakpoint
ALTER TABLE "invoices" ADD COLUMN "e_invoice_status" text collate "C";--> statement-breakpoint
ALTER TABLE "credit_notes" ADD COLUMN "e_invoice_status" text collate "C";--> statement-breakpoint
ALTER TABLE "e_invoice_deliveries" ADD CONSTRAINT "e_invoice_deliveries_tenant_alias_fk" FOREIGN KEY ("tenant_alias") REFERENCES "public"."tenants"("alias") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "e_invoice_deliveries_due" ON "e_invoice_deliveries" USING btree ("tenant_alias","due_at","id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "e_invoice_deliveries_customer" ON "e_invoice_deliveries" USING btree ("tenant_alias","customer_id","id");--> statement-breakpoint
CREATE INDEX "e_invoice_deliveries_status" ON "e_invoice_deliveries" USING btree ("tenant_alias","status","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_e_invoice" ON "invoices" USING btree ("tenant_alias","e_invoice_status","created_at","id") WHERE e_invoice_status is not null;--> statement-breakpoint
CREATE INDEX "credit_notes_e_invoice" ON "credit_notes" USING btree ("tenant_alias","e_invoice_status","created_at","id") WHERE e_invoice_status is not null;